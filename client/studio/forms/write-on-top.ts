import { codeOf, NotSent } from '../strings/errors.ts';
import type { Typing } from './edits.ts';
import { isRefusal } from './once.ts';

interface OnTop<Saved, Answer> {
  /** As it is known; null where its revision isn't, and it has to be looked at first. */
  saved: Saved | null;
  /** Reads it as it is now. */
  read(): Promise<Saved>;
  /** Whether the write would take away what somebody else has written. */
  takesAway(saved: Saved): boolean;
  /** Writes on top of what is known. */
  write(saved: Saved): Promise<Answer>;
}

/** How often a write goes on from what others have written before it gives up. */
const mostTries = 3;

/**
 * Writes only on top of the newest revision that is known. What somebody else wrote into other fields is kept: the write is
 * made again on top of it. Over the same fields it throws, as `isOutrun` tells.
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

/** Whether a write was not made since somebody else had written. */
export const isOutrun = (error: unknown) => codeOf(error) === 'precondition_failed';

/** Where a form holds what it has sent. */
/** Sends `values`, which are held as sent from here until they are known not to be written. */
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
    // Nothing was written: forget it as sent, or the same value from somebody else would pass for ours.
    if (isRefusal(error)) change({ sent });
    throw error;
  }
}
