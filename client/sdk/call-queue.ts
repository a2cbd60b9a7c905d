import { onAbort, type Time } from './time.ts';

/** Queue of the calls of one procedure. */
export interface CallQueue {
  /** Returns a call's position in the queue, which stays the same when it is refused. */
  newPosition(): number;
  /** Resolves when the call may be sent; rejects with the signal's reason. */
  turn(position: number, signal: AbortSignal): Promise<void>;
  /** Ends a turn. `refusedForS` is the number of seconds until a refused call may succeed. */
  leave(refusedForS?: number): void;
}

/** Maximum number of calls in flight. A service that receives thousands at the same time is too busy for most of them. */
const maxConcurrent = 40;

/**
 * Creates a call queue.
 *
 * States and transitions:
 * - open: at most 40 calls are in flight. A refusal by a rate limit closes the queue.
 * - closed: no call is sent until the time that the service states. The time is longer if many calls wait or refusals follow
 *   each other, because other processes may share the limit.
 * - one by one, after it was closed: calls are sent singly, in the order in which they came. When none is left, the queue is
 *   open again.
 *
 * If each call waited by itself instead, all would retry together, and most would use up their retries before their turn.
 */
export function createCallQueue(time: Time): CallQueue {
  const line: { position: number; go: () => void }[] = [];
  let nextPosition = 0;
  let underWay = 0;
  let oneByOne = false;
  let refusals = 0;
  let opensAt = 0;
  let callOff: (() => void) | undefined;

  function sendNext() {
    callOff?.();
    callOff = undefined;
    const closedMs = opensAt - time.now();
    if (closedMs > 0) {
      // Set no alarm for an empty queue, because it would keep a Node process running.
      if (line.length > 0) callOff = time.setAlarm(closedMs, sendNext);
      return;
    }
    if (line.length === 0 && underWay === 0) oneByOne = false;
    while (line.length > 0 && underWay < (oneByOne ? 1 : maxConcurrent)) {
      underWay++;
      line.shift()?.go();
    }
  }

  function close(seconds: number) {
    refusals = oneByOne ? refusals + 1 : 0;
    oneByOne = true;
    const delayS = Math.max(Math.min(2 ** refusals, 8), Math.min((line.length + underWay) / 2, 4));
    opensAt = time.now() + (Math.max(seconds, delayS) + time.random() * delayS) * 1_000;
  }

  return {
    newPosition: () => nextPosition++,
    turn: (position, signal) =>
      new Promise((resolve, reject) => {
        const entry = { position, go: resolve };
        const behind = line.findIndex((other) => other.position > position);
        line.splice(behind < 0 ? line.length : behind, 0, entry);
        const forget = onAbort(signal, () => {
          line.splice(line.indexOf(entry), 1);
          reject(signal.reason);
          sendNext();
        });
        entry.go = () => {
          forget();
          resolve();
        };
        sendNext();
      }),
    leave(refusedForS) {
      underWay--;
      if (refusedForS === undefined) refusals = Math.max(refusals - 1, 0);
      // Calls that were sent together are refused together, and close the queue once.
      else if (opensAt <= time.now()) close(refusedForS);
      sendNext();
    },
  };
}
