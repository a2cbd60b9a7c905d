import { z } from 'zod';
import { idempotency } from '../../../shared/contract/limits.ts';
import { type ErrorCode, isApiError } from '../../sdk/index.ts';
import { randomId } from '../ui/browser.ts';
import type { BrowserStorage } from '../ui/browser-storage.ts';

/** What was sent first of something that is to be done once, and is not known to be done or refused. */
const Unanswered = z.object({
  key: z.string(),
  input: z.record(z.string(), z.unknown()),
  at: z.date(),
});

type Input = Record<string, unknown>;
type Call<Answer> = (input: Input, options: { idempotencyKey: string }) => Promise<Answer>;

/**
 * Does a thing of this `name` once, such as making a record: from the first try until its answer is known, also after the
 * page was loaded anew, each try repeats what was sent first, under the same key.
 */
export function createOnce(storage: BrowserStorage, name: string) {
  // Each thing that is sent has a place of its own: another page may send something of the same name meanwhile.
  const placeOf = (key: string) => `sent:${name}:${key}`;
  let first = oldestUnanswered(storage, placeOf(''));
  const forget = () => {
    if (first) storage.remove(placeOf(first.key));
    first = null;
  };
  return {
    /** What was sent and has no answer yet. */
    unanswered: (): Input | null => first?.input ?? null,
    /** Gives what was `sent`, which may be something earlier than `input`. */
    async send<Answer>(input: Input, call: Call<Answer>): Promise<{ answer: Answer; sent: Input }> {
      const isNew = first === null;
      const sending = first ?? { key: randomId(), input, at: new Date() };
      first = sending;
      storage.write(placeOf(sending.key), sending);
      try {
        const answer = await call(sending.input, { idempotencyKey: sending.key });
        forget();
        return { answer, sent: sending.input };
      } catch (error) {
        if (isRefusal(error) || (isNew && isForProof(error))) forget();
        throw error;
      }
    },
  };
}

/** What an earlier page has sent and got no answer to; what is older than answers are known for is cleared away. */
function oldestUnanswered(storage: BrowserStorage, begins: string) {
  const sent = storage.names().flatMap((place) => {
    const key = place.startsWith(begins) ? place.slice(begins.length) : ':';
    const one = key.includes(':') ? null : storage.read(place, Unanswered);
    if (one && isForgotten(one.at)) storage.remove(place);
    return one && !isForgotten(one.at) ? [one] : [];
  });
  return sent.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null;
}

/** The service remembers an answer for so long: with an hour to spare, since the clocks of the two may differ. */
const isForgotten = (at: Date) => Date.now() - at.getTime() > (idempotency.hours - 1) * 3_600_000;

/** What is refused before the service looks for an earlier answer says nothing of that. */
const saysNothing: readonly number[] = [401, 403, 408, 429];

/** What is refused after that, whatever its status. */
const refusals: readonly string[] = ['newsletter_limit', 'mail_not_configured'] satisfies ErrorCode[];

/** Refused as the 403 that it is before anything else is looked at: so nothing was done, where nothing was sent before. */
const isForProof = (error: unknown) => isApiError(error) && error.data.code === 'proof_required';

/** Whether it is known from now on that nothing was done. */
export function isRefusal(error: unknown): boolean {
  if (!isApiError(error)) return false;
  const { code, httpStatus } = error.data;
  return refusals.includes(code) || (httpStatus < 500 && !saysNothing.includes(httpStatus));
}
