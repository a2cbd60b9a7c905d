import { type Readable, Transform } from 'node:stream';

/** How long the server waits for those who send and read, in milliseconds. */
export interface Patience {
  /** Until a request is whole that brings no file. */
  requestMs: number;
  upload: Wait;
  move: Wait;
}

export interface Wait {
  /** While nothing moves. */
  stalledMs: number;
  /** In all. */
  longestMs: number;
}

/** Ends `stream` with what `late` says when it stands still, or takes too long in all; call `goOn` whenever it moves. */
export function endWhenLate(stream: Readable, { stalledMs, longestMs }: Wait, late: () => Error) {
  const giveUp = () => stream.destroy(late());
  const inAll = setTimeout(giveUp, longestMs);
  const stalled = setTimeout(giveUp, stalledMs);
  return {
    goOn: () => void stalled.refresh(),
    end() {
      clearTimeout(inAll);
      clearTimeout(stalled);
    },
  };
}

/**
 * A stream from which everything comes as it went in. It ends when its reader takes nothing for too long, or takes too long
 * in all, from the first byte on. Whoever writes or reads learns of its end; nobody else has to.
 */
export function createTimedStream(wait: Wait): Transform {
  let timed: ReturnType<typeof endWhenLate> | undefined;
  const stream = new Transform({
    transform(chunk, _encoding, done) {
      timed ??= endWhenLate(stream, wait, () => new Error('its reader takes nothing, or takes too long'));
      timed.goOn();
      done(null, chunk);
    },
  });
  return stream.on('error', () => {}).once('close', () => timed?.end());
}
