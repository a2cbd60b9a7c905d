import { type OperationResultEnvelope, TRPCClientError, type TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { type Observable, observable } from '@trpc/server/observable';
import { type CallQueue, createCallQueue } from './call-queue.ts';
import { JsonAnswer, withRequestId } from './json-fetch.ts';
import { type AttemptInfo, occasionToRepeat } from './repeat.ts';
import { onAbort, type Time, wait } from './time.ts';

export interface RepeatLimits {
  /** Maximum number of retries of a call. */
  retries: number;
  /** Maximum duration of a call including its retries, in milliseconds. */
  timeoutMs: number;
  /** If true, calls refused by a rate limit are retried. */
  waitsForLimits: boolean;
}

/**
 * Retries refused and lost calls, each on its own. Retries are safe: reads change nothing, and each write has an idempotency
 * key, which its retries share.
 */
export function repeatLink(limits: RepeatLimits, time: Time): TRPCLink<AnyRouter> {
  return () => {
    const queues = new Map<string, CallQueue>();
    return ({ op, next }) =>
      observable((observer) => {
        const queue = queues.get(op.path) ?? createCallQueue(time);
        queues.set(op.path, queue);
        const ended = new AbortController();
        const forget = op.signal && onAbort(op.signal, () => ended.abort(op.signal?.reason));
        const send = (signal: AbortSignal) => resultOf(next(op), signal);
        callRepeatedly({ send, queue, ended }, limits, time)
          .then(
            (result) => {
              observer.next(result);
              observer.complete();
            },
            (cause) => {
              const error = TRPCClientError.from<AnyRouter>(cause);
              const answer = error.meta?.response;
              observer.error(answer instanceof JsonAnswer ? withRequestId(error, answer.headers) : error);
            },
          )
          .finally(forget);
        return () => ended.abort();
      });
  };
}

interface Call {
  send: (signal: AbortSignal) => Promise<Result>;
  queue: CallQueue;
  /** Controller whose signal ends the call at any stage. */
  ended: AbortController;
}

async function callRepeatedly({ send, queue, ended }: Call, limits: RepeatLimits, time: Time) {
  const { retries, timeoutMs, waitsForLimits } = limits;
  const deadline = time.now() + timeoutMs;
  let failure: unknown = noAnswerIn(timeoutMs);
  const callOff = time.setAlarm(timeoutMs, () => ended.abort(failure));
  const position = queue.newPosition();
  try {
    for (let repetitions = 0; ; repetitions++) {
      await queue.turn(position, ended.signal);
      let occasion: AttemptInfo | null = null;
      let waitS = 0;
      try {
        const attemptMs = repetitions < retries ? Math.max(timeoutMs / 3, minAttemptMs) : timeoutMs;
        return await attempt(send, { ended: ended.signal, ms: attemptMs }, time);
      } catch (error) {
        failure = error;
        occasion = retries > 0 && !ended.signal.aborted ? occasionToRepeat(error) : null;
        if (!occasion || repetitions === retries) throw error;
        const { isRefusal, seconds } = occasion;
        if (isRefusal && !waitsForLimits) throw error;
        if (!isRefusal && isOffline()) throw error;
        waitS = isRefusal ? seconds : Math.max(seconds, growing(repetitions)) * (1 + time.random());
        if (time.now() + waitS * 1_000 > deadline) throw error;
      } finally {
        queue.leave(occasion?.isRefusal && waitsForLimits ? occasion.seconds : undefined);
      }
      if (!occasion.isRefusal) await wait(time, waitS * 1_000, ended.signal);
    }
  } finally {
    callOff();
  }
}

/** True if a browser has no network. The caller gets the error then instead of waiting. */
const isOffline = () => globalThis.navigator?.onLine === false;

/** Returns the delay before a retry, in seconds: half a second, doubled each time up to eight. */
const growing = (repetitions: number) => Math.min(2 ** repetitions / 2, 8);

/** Minimum duration of an attempt, in milliseconds. No wait of the service for its database takes longer. */
const minAttemptMs = 10_000;

const noAnswerIn = (ms: number) => new DOMException(`no answer within ${ms} ms`, 'TimeoutError');

/** Sends a call once. The time limit leaves time for retries, because a connection may break without notice. */
async function attempt(send: Call['send'], { ended, ms }: { ended: AbortSignal; ms: number }, time: Time) {
  const given = new AbortController();
  const forget = onAbort(ended, () => given.abort(ended.reason));
  const callOff = time.setAlarm(ms, () => given.abort(noAnswerIn(ms)));
  try {
    return await send(given.signal);
  } finally {
    forget();
    callOff();
  }
}

type Result = OperationResultEnvelope<unknown, TRPCClientError<AnyRouter>>;

function resultOf(
  result: Observable<Result, TRPCClientError<AnyRouter>>,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const subscription = result.subscribe({ next: resolve, error: reject });
    onAbort(signal, () => {
      subscription.unsubscribe();
      reject(signal.reason);
    });
  });
}
