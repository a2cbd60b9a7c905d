import { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

/** How long the server waits for those who send and read, in milliseconds. */
export interface Timeouts {
  /** Until a request is whole that brings no file. */
  requestMs: number;
  /** While nothing is taken of an answer. */
  answerMs: number;
  /** Until all of a large answer is taken. */
  largeAnswerMs: number;
  /** Until a document has come by which an assistant says who it is. */
  documentMs: number;
  upload: Wait;
  transfer: Wait;
}

export interface Wait {
  /** After so long, and again and again, enough has to have moved. */
  stalledMs: number;
  /** What is enough: a byte now and then would hold a place for as long as all of it may take. */
  leastBytesPerSecond: number;
  /** In all. */
  longestMs: number;
}

/** As long as it takes to move so many bytes at the least speed, if that is less. */
export const waitFor = (bytes: number, wait: Wait): Wait => ({
  ...wait,
  longestMs: Math.min(wait.longestMs, wait.stalledMs + (bytes / wait.leastBytesPerSecond) * 1_000),
});

/**
 * Calls `onLate`, once, when too little moves, or it takes too long in all. Call `moved` with the bytes that do. Time in
 * which `isOthersTurn` is not theirs who are waited for.
 */
export function watchTransfer(
  { stalledMs, longestMs, leastBytesPerSecond }: Wait,
  onLate: () => void,
  isOthersTurn = () => false,
) {
  const enough = Math.ceil((stalledMs / 1_000) * leastBytesPerSecond);
  let bytes = 0;
  const end = () => {
    clearTimeout(inAll);
    clearInterval(each);
  };
  const giveUp = () => {
    end();
    onLate();
  };
  const inAll = setTimeout(giveUp, longestMs);
  const each = setInterval(() => {
    if (bytes < enough && !isOthersTurn()) giveUp();
    bytes = 0;
  }, stalledMs);
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
  const giveUp = () => stream.destroy(new Error('its reader takes too little, or takes too long'));
  return stream.on('error', () => {}).once('close', () => watched?.end());
}
