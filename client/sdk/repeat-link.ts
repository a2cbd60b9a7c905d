import { type OperationResultEnvelope, TRPCClientError, type TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { type Observable, observable } from '@trpc/server/observable';
import { type CallQueue, createCallQueue } from './call-queue.ts';
import { JsonAnswer, withRequestId } from './json-fetch.ts';
import { type Occasion, occasionToRepeat } from './repeat.ts';
import { onAbort, type Time, wait } from './time.ts';

export interface RepeatLimits {
  /** How often a call is made again at most. */
  retries: number;
  /** How long a call takes at most, its repetitions included. */
  timeoutMs: number;
  /** Whether one that a limit refused is made again. */
  waitsForLimits: boolean;
}

/**
 * Makes calls again that were refused or got lost on the way, each by itself. It does no harm: reads change nothing, and
 * each write has an idempotency key, which its repetitions share.
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
  /** Whose signal ends the call, wherever it is. */
  ended: AbortController;
}

async function callRepeatedly({ send, queue, ended }: Call, limits: RepeatLimits, time: Time) {
  const { retries, timeoutMs, waitsForLimits } = limits;
  const deadline = time.now() + timeoutMs;
  let failure: unknown = noAnswerIn(timeoutMs);
  const callOff = time.setAlarm(timeoutMs, () => ended.abort(failure));
  const place = queue.newPlace();
  try {
    for (let repetitions = 0; ; repetitions++) {
      await queue.turn(place, ended.signal);
      let occasion: Occasion | null = null;
      let waitS = 0;
      try {
        const attemptMs = repetitions < retries ? Math.max(timeoutMs / 3, shortestAttemptMs) : timeoutMs;
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

/** A browser knows when it has no network, and when it has one again: whoever calls is told now rather than kept waiting. */
const isOffline = () => globalThis.navigator?.onLine === false;

/** Seconds, from half of one up to eight. */
const growing = (repetitions: number) => Math.min(2 ** repetitions / 2, 8);

/** Whatever the time for a call: no single wait of the service for its database takes longer. */
const shortestAttemptMs = 10_000;

const noAnswerIn = (ms: number) => new DOMException(`no answer within ${ms} ms`, 'TimeoutError');

/** Sends a call once. An answer that stays out leaves time for others: the connection may have got lost unnoticed. */
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
