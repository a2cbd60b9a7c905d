import { z } from 'zod';
import { idempotency } from '../../../shared/contract/limits.ts';
import { type ErrorCode, isApiError } from '../../sdk/index.ts';
import { randomId } from '../ui/browser.ts';
import type { BrowserStorage } from '../ui/browser-storage.ts';

/** First request of a creation whose outcome is unknown. */
const Unanswered = z.object({
  key: z.string(),
  input: z.record(z.string(), z.unknown()),
  at: z.date(),
});

type Input = Record<string, unknown>;
type Call<Answer> = (input: Input, options: { idempotencyKey: string }) => Promise<Answer>;

/**
 * Creates a sender for an action that must happen once, such as creating a record.
 *
 * Until the outcome is known, each attempt repeats the first request with its idempotency key. The request is kept in
 * browser storage, so this also works after a reload.
 */
export function createOnce(storage: BrowserStorage, name: string) {
  // One entry per request: another tab may send a request with the same name.
  const storageKey = (key: string) => `sent:${name}:${key}`;
  let first = oldestUnanswered(storage, storageKey(''));
  const forget = () => {
    if (first) storage.remove(storageKey(first.key));
    first = null;
  };
  return {
    /** Values of the unanswered request; null if there is none. */
    unanswered: (): Input | null => first?.input ?? null,
    /**
     * Sends the request. Returns the answer and the values that were `sent`. If an earlier attempt had no known
     * outcome, these are its values, not `input`.
     *
     * Rejects with the error of `call`. The request is forgotten only if the error proves that nothing was done.
     */
    async send<Answer>(input: Input, call: Call<Answer>): Promise<{ answer: Answer; sent: Input }> {
      const isNew = first === null;
      const sending = first ?? { key: randomId(), input, at: new Date() };
      first = sending;
      storage.write(storageKey(sending.key), sending);
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

/**
 * Returns the oldest unanswered request of an earlier page; null if there is none. Removes requests that are older than the
 * service's idempotency records.
 */
function oldestUnanswered(storage: BrowserStorage, begins: string) {
  const sent = storage.names().flatMap((container) => {
    const key = container.startsWith(begins) ? container.slice(begins.length) : ':';
    const one = key.includes(':') ? null : storage.read(container, Unanswered);
    if (one && isForgotten(one.at)) storage.remove(container);
    return one && !isForgotten(one.at) ? [one] : [];
  });
  return sent.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null;
}

/** True if the service may have deleted its idempotency record. One hour is deducted, because the clocks may differ. */
const isForgotten = (at: Date) => Date.now() - at.getTime() > (idempotency.hours - 1) * 3_600_000;

/** Statuses that are returned before the service looks up the idempotency key, so an earlier attempt may have succeeded. */
const saysNothing: readonly number[] = [401, 403, 408, 429];

/** Error codes that are returned after that lookup, whatever their status. */
const refusals: readonly string[] = ['newsletter_limit', 'mail_not_configured'] satisfies ErrorCode[];

/**
 * True for `proof_required`, which is returned before anything runs. It means that nothing was done, if it answers the first
 * attempt.
 */
const isForProof = (error: unknown) => isApiError(error) && error.data.code === 'proof_required';

/** True if an error proves that the request did nothing. */
export function isRefusal(error: unknown): boolean {
  if (!isApiError(error)) return false;
  const { code, httpStatus } = error.data;
  return refusals.includes(code) || (httpStatus < 500 && !saysNothing.includes(httpStatus));
}
