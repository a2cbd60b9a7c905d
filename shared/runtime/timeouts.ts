import { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

/** How long the server waits for those who send and read, in milliseconds. */
export interface Timeouts {
  /** Until a request is whole that brings no file. */
  requestMs: number;
  /** Minimum speed of a client while bytes of any answer wait for it. */
  answer: Pace;
  /** Maximum time to read a large list, and the minimum speed of its reader while another list waits for the turn. */
  largeAnswer: Wait;
  /** Until a document has come by which an assistant says who it is. */
  documentMs: number;
  upload: Wait;
  transfer: Wait;
}

/** Minimum speed, measured over the last `stalledMs`. */
export interface Pace {
  stalledMs: number;
  /** A client that moves a byte now and then would otherwise occupy a place for as long as the whole transfer may take. */
  leastBytesPerSecond: number;
}

export interface Wait extends Pace {
  /** In all. */
  longestMs: number;
}

/** Speed checks within `stalledMs`: a transfer that stops is ended at most one of these intervals late. */
const checksPerWindow = 10;

export const checkIntervalMs = ({ stalledMs }: Pace) => stalledMs / checksPerWindow;

/**
 * Checks the speed of a transfer over a sliding window. Pass the bytes that moved since the last check, every
 * `checkIntervalMs`. The window is counted in checks, not by the clock: a process that was suspended ends no transfer
 * whose bytes it has not read yet.
 */
export function createPaceCheck({ stalledMs, leastBytesPerSecond }: Pace) {
  const enough = Math.ceil((stalledMs / 1_000) * leastBytesPerSecond);
  let latest: number[] = [];
  return {
    isTooSlow(bytes: number): boolean {
      latest = [...latest, bytes].slice(-checksPerWindow);
      return latest.length === checksPerWindow && latest.reduce((sum, moved) => sum + moved, 0) < enough;
    },
    /** Begins a new window, because the other side was not waited for. */
    restart() {
      latest = [];
    },
  };
}

/** As long as it takes to move so many bytes at the least speed, if that is less. */
export const waitFor = (bytes: number, wait: Wait): Wait => ({
  ...wait,
  longestMs: Math.min(wait.longestMs, wait.stalledMs + (bytes / wait.leastBytesPerSecond) * 1_000),
});

/**
 * Calls `onLate` once, when the transfer is slower than its pace or exceeds `longestMs`. Call `moved` with the bytes that
 * moved. While `isOthersTurn` returns true, the other side is not waited for and its speed does not count.
 */
export function watchTransfer(wait: Wait, onLate: () => void, isOthersTurn = () => false) {
  const pace = createPaceCheck(wait);
  let bytes = 0;
  const end = () => {
    clearTimeout(inAll);
    clearInterval(each);
  };
  const giveUp = () => {
    end();
    onLate();
  };
  const inAll = setTimeout(giveUp, wait.longestMs);
  const each = setInterval(() => {
    if (isOthersTurn()) pace.restart();
    else if (pace.isTooSlow(bytes)) giveUp();
    bytes = 0;
  }, checkIntervalMs(wait));
  return {
    moved(more: number) {
      bytes += more;
    },
    end,
  };
}

/** What `promise` gives, unless that takes too long. A process that stood still reads first what came meanwhile. */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  const tooLong = Promise.withResolvers<never>();
  const timer = setTimeout(async () => {
    await turn();
    tooLong.reject(late());
  }, ms);
  try {
    return await Promise.race([promise, tooLong.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A stream from which everything comes as it went in. It ends when its reader takes too little, or takes too long in all,
 * from the first byte on. Whoever writes or reads learns of its end; nobody else has to.
 */
export function createTimedStream(wait: Wait): Transform {
  let watched: ReturnType<typeof watchTransfer> | undefined;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      watched ??= watchTransfer(wait, giveUp, () => stream.readableLength === 0);
      watched.moved(chunk.length);
      done(null, chunk);
    },
  });
  const giveUp = () => stream.destroy(new Error('transfer timed out: the receiver reads too slowly'));
  return stream.on('error', () => {}).once('close', () => watched?.end());
}
