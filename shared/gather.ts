import DataLoader from 'dataloader';
import { afterNextTurn } from './next-turn.ts';

/**
 * Answers together what is asked in the same turn of the event loop, or the next: `ask` gets the questions, at most `most` of them,
 * and its answers by question. One that has no answer gets null. Where `ask` fails, all who asked get its error. Nothing is
 * remembered: what is asked once a query has begun waits for the next.
 */
export function gather<Q, A>(
  ask: (questions: readonly Q[]) => Promise<ReadonlyMap<Q, A>>,
  most: number,
): (question: Q) => Promise<A | null> {
  const answerAll = async (questions: readonly Q[]) => {
    loader.clearAll();
    const answers = await ask(questions);
    return questions.map((question) => answers.get(question) ?? null);
  };
  const loader = new DataLoader(answerAll, { maxBatchSize: most, batchScheduleFn: afterNextTurn });
  return (question) => loader.load(question);
}
