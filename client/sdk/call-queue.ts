import { onAbort, type Time } from './time.ts';

/** Where the calls of one procedure line up. */
export interface CallQueue {
  /** A call's place in the line, which it keeps however often it is refused. */
  newPlace(): number;
  /** Resolves when the call may be sent; rejects with the signal's reason. */
  turn(place: number, signal: AbortSignal): Promise<void>;
  /** Ends a turn; `refusedForS` when the service refused the call, as seconds until it may pass. */
  leave(refusedForS?: number): void;
}

/** A service that gets thousands at once is too busy for most of them, and each would take a connection. */
const mostAtOnce = 40;

/**
 * Calls go at once, as many as may be under way, until one is refused. From then on they go one at a time in the order in
 * which they came, until none is left in the line: whoever repeats each call by itself asks again and again with all of
 * them, and most of them run out of repetitions before their turn comes.
 *
 * A refusal closes the queue for as long as the service says; longer the more calls are waiting and the more refusals
 * follow each other, since other processes may share the same limit.
 */
export function createCallQueue(time: Time): CallQueue {
  const line: { place: number; go: () => void }[] = [];
  let places = 0;
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
      // Without anybody in the line no alarm is set, which would keep a Node process from ending.
      if (line.length > 0) callOff = time.setAlarm(closedMs, sendNext);
      return;
    }
    if (line.length === 0 && underWay === 0) oneByOne = false;
    while (line.length > 0 && underWay < (oneByOne ? 1 : mostAtOnce)) {
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
    newPlace: () => places++,
    turn: (place, signal) =>
      new Promise((resolve, reject) => {
        const entry = { place, go: resolve };
        const behind = line.findIndex((other) => other.place > place);
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
