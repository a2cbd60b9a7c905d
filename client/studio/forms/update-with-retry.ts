import { codeOf, NotSent } from '../strings/errors.ts';
import type { EditState } from './edits.ts';
import { isRefusal } from './idempotent-create.ts';

interface UpdateOptions<Saved, Answer> {
  /** Known version; null if its revision is unknown, so that it has to be read first. */
  saved: Saved | null;
  read(): Promise<Saved>;
  /** True if the write would overwrite another writer's change. */
  wouldOverwrite(saved: Saved): boolean;
  /** Writes on top of the given version. */
  write(saved: Saved): Promise<Answer>;
}

/** Maximum number of attempts. */
const maxAttempts = 3;

/**
 * Writes on top of the newest version. If another writer was faster, it reads the record again and writes again, so that
 * their changes in other fields are kept. Throws an error with the code `precondition_failed` if it would overwrite a
 * change of another writer, or if the third attempt was too late. Other errors of `read` and `write` are passed on.
 */
export async function updateWithRetry<Saved, Answer>(options: UpdateOptions<Saved, Answer>): Promise<Answer> {
  let saved = options.saved;
  for (let attempt = 1; ; attempt++) {
    saved ??= await options.read();
    if (options.wouldOverwrite(saved)) throw new NotSent('precondition_failed');
    try {
      return await options.write(saved);
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
      saved = null;
    }
  }
}

/** True if a write failed because another writer was faster. */
export const isConflict = (error: unknown) => codeOf(error) === 'precondition_failed';

/**
 * Sends `values` and records them as sent, so that they do not look like another writer's change. They stay recorded
 * until a refusal proves that nothing was written. Rejects with the error of `send`.
 */
export async function sendRecorded<Answer>(
  { read, change }: { read(): EditState; change(changes: Pick<EditState, 'sent'>): void },
  values: EditState['sent'],
  send: () => Promise<Answer>,
): Promise<Answer> {
  const { sent } = read();
  change({ sent: { ...sent, ...values } });
  try {
    return await send();
  } catch (error) {
    // The service wrote none of these values. If they stayed in `sent`, the same value from another writer would not be
    // noticed.
    if (isRefusal(error)) change({ sent });
    throw error;
  }
}
