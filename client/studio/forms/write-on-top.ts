import { codeOf, NotSent } from '../strings/errors.ts';
import type { Typing } from './edits.ts';
import { isRefusal } from './once.ts';

interface OnTop<Saved, Answer> {
  /** Known version; null if its revision is unknown, so that it has to be read first. */
  saved: Saved | null;
  read(): Promise<Saved>;
  /** True if the write would overwrite another writer's change. */
  takesAway(saved: Saved): boolean;
  /** Writes on top of the given version. */
  write(saved: Saved): Promise<Answer>;
}

/** Maximum number of attempts. */
const mostTries = 3;

/**
 * Writes on top of the newest version. If another writer was faster, it reads the record again and writes again, so
 * that their changes in other fields are kept.
 *
 * Throws an error with the code `precondition_failed` if it would overwrite a change of another writer, or if the
 * third attempt was too late. Other errors of `read` and `write` are passed on.
 */
export async function writeOnTop<Saved, Answer>(of: OnTop<Saved, Answer>): Promise<Answer> {
  let saved = of.saved;
  for (let tries = 1; ; tries++) {
    saved ??= await of.read();
    if (of.takesAway(saved)) throw new NotSent('precondition_failed');
    try {
      return await of.write(saved);
    } catch (error) {
      if (!isOutrun(error) || tries === mostTries) throw error;
      saved = null;
    }
  }
}

/** Checks whether a write failed because another writer was faster. */
export const isOutrun = (error: unknown) => codeOf(error) === 'precondition_failed';

/**
 * Sends `values` and records them as sent, so that they do not look like another writer's change. They stay recorded
 * until a refusal proves that nothing was written. Rejects with the error of `send`.
 */
export async function sendNoted<Answer>(
  { read, change }: { read(): Typing; change(changes: Pick<Typing, 'sent'>): void },
  values: Typing['sent'],
  send: () => Promise<Answer>,
): Promise<Answer> {
  const { sent } = read();
  change({ sent: { ...sent, ...values } });
  try {
    return await send();
  } catch (error) {
    // Nothing was written. If it stayed recorded, the same value from another writer would not be noticed.
    if (isRefusal(error)) change({ sent });
    throw error;
  }
}
