/**
 * Answers together what is asked in the same turn of the event loop: `ask` gets the questions, at most `most` of them,
 * and its answers by question. One that has no answer gets null. Where `ask` fails, all who asked get its error.
 */
export function gather<Q, A>(
  ask: (questions: readonly Q[]) => Promise<ReadonlyMap<Q, A>>,
  most: number,
): (question: Q) => Promise<A | null> {
  let open: { questions: Set<Q>; answers: Promise<ReadonlyMap<Q, A>> } | null = null;
  const begin = () => {
    const questions = new Set<Q>();
    const answers = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open?.questions === questions) open = null;
      return ask([...questions]);
    });
    return { questions, answers };
  };
  return async (question) => {
    if (!open || open.questions.size >= most) open = begin();
    open.questions.add(question);
    return (await open.answers).get(question) ?? null;
  };
}
