import type { Readable } from 'node:stream';

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
