import { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

/** Time limits of the server for clients and other servers, in milliseconds. */
export interface Timeouts {
  /** Maximum time until a request without a file has arrived completely. */
  requestMs: number;
  /** Minimum speed of a client while bytes of an answer wait for it. */
  answer: Pace;
  /** Maximum time to read a large list. Its minimum speed applies while another large list waits. */
  largeAnswer: Wait;
  /** Maximum time to fetch the metadata document of an assistant. */
  documentMs: number;
  upload: Wait;
  transfer: Wait;
}

/** Minimum speed, measured over the last `stalledMs` milliseconds. */
export interface Pace {
  stalledMs: number;
  /**
   * Minimum speed. Without it, a client that sends single bytes could use a slot for as long as a whole transfer may take.
   */
  minBytesPerSecond: number;
}

export interface Wait extends Pace {
  /** Maximum duration of the transfer, in milliseconds. */
  maxMs: number;
}

/** Number of speed checks within `stalledMs`. A transfer that stops is ended at most one interval late. */
const checksPerWindow = 10;

/** Returns the interval at which a speed check must be called, in milliseconds. */
export const checkIntervalMs = ({ stalledMs }: Pace) => stalledMs / checksPerWindow;

/**
 * Creates a check of a transfer's speed over a sliding window. Call `isTooSlow` every `checkIntervalMs` with the bytes that
 * moved since the last call. The window is counted in checks, not in time. A process that was suspended therefore ends no
 * transfer whose bytes it has not read yet.
 */
export function createPaceCheck({ stalledMs, minBytesPerSecond }: Pace) {
  const enough = Math.ceil((stalledMs / 1_000) * minBytesPerSecond);
  let latest: number[] = [];
  return {
    isTooSlow(bytes: number): boolean {
      latest = [...latest, bytes].slice(-checksPerWindow);
      return latest.length === checksPerWindow && latest.reduce((sum, moved) => sum + moved, 0) < enough;
    },
    /** Restarts the measurement, for times in which the other side's speed does not count. */
    restart() {
      latest = [];
    },
  };
}

/** Returns a limit whose maximum duration is the time for `bytes` at the minimum speed, if that is shorter. */
export const waitFor = (bytes: number, wait: Wait): Wait => ({
  ...wait,
  maxMs: Math.min(wait.maxMs, wait.stalledMs + (bytes / wait.minBytesPerSecond) * 1_000),
});

/**
 * Calls `onLate` once if the transfer is slower than its pace or exceeds `maxMs`. Call `moved` with the bytes that
 * moved. While `isOthersTurn` returns true, the other side is not the one to act, and its speed does not count.
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
  const inAll = setTimeout(giveUp, wait.maxMs);
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

/**
 * Returns the result of `promise`, or throws the error of `late` after `ms` milliseconds. After a stall it first
 * handles results that arrived in the meantime.
 */
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
 * Creates a stream that passes bytes through unchanged. It fails if its reader is too slow, or if the transfer takes
 * too long, counted from the first byte. Its error needs no listener: writer and reader see that it ended.
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
