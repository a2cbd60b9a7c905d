import type { Socket } from 'node:net';
import { DeliveryFailure } from './delivery-failure.ts';

/**
 * Most bytes of an answer that are read, from its first to its end: interim (1xx) answers, status line, headers, body,
 * chunk sizes and their extensions, and trailers together.
 */
export const answerLimit = 16 * 1024;

/** Most interim answers before the one that counts. */
export const interimLimit = 8;

/** What has come of the answer to the request that a connection carries. */
export interface WebhookAnswer {
  /** A request is being sent: what comes from here on is its answer. */
  begin(): void;
  /** The head that counts has been read, so its text isn't needed any more. */
  headCame(): void;
  /** The status, when a 2xx status line has come though its head is incomplete or broken; else null. */
  acknowledgedBy(): number | null;
  /** Bounds what is read from a connection, which is cut as soon as there is more. */
  bound(socket: Socket): void;
}

export function watchAnswer(): WebhookAnswer {
  let bytes = 0;
  // One for all pieces: held as they came, those of a byte each would take a hundred times as much.
  let head: Buffer | null = null;
  let rewrite = rewriteContinue();
  const take = (chunk: Buffer) => {
    const within = chunk.subarray(0, answerLimit - bytes);
    rewrite(within);
    if (head) within.copy(head, bytes);
    bytes += chunk.length;
    return within;
  };
  return {
    begin() {
      bytes = 0;
      head = Buffer.allocUnsafe(answerLimit);
      rewrite = rewriteContinue();
    },
    headCame() {
      head = null;
    },
    acknowledgedBy: () =>
      head ? statusOf2xx(head.toString('latin1', 0, Math.min(bytes, answerLimit))) : null,
    bound(socket) {
      // The parser counts neither interim answers nor chunk extensions, so the bound is where it takes its bytes from.
      const read: () => Buffer | null = socket.read.bind(socket);
      socket.read = () => {
        const chunk = bytes > answerLimit ? null : read();
        if (chunk !== null) return take(chunk);
        if (bytes > answerLimit) socket.destroy(new DeliveryFailure('response_too_large'));
        return null;
      };
    },
  };
}

/** The status of the first line that is not an interim answer's, if it is complete and acknowledges. */
function statusOf2xx(text: string): number | null {
  let at = 0;
  for (let interims = 0; /^HTTP\/1\.[01] 1\d\d\b/.test(text.slice(at, at + 13)); interims++) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0 || interims >= interimLimit) return null;
    at = end + '\r\n\r\n'.length;
  }
  const end = text.indexOf('\r\n', at);
  const status = end < 0 ? null : /^HTTP\/1\.[01] (2\d\d)(?: |$)/.exec(text.slice(at, end));
  return status ? Number(status[1]) : null;
}

const statusEnd = 'HTTP/1.1 100'.length;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Rewrites `100 Continue` as `102 Processing`, in place, in the chunks of one answer, wherever they are cut. A server may
 * send 100 unasked (RFC 9110, 15.2.1), but undici closes the connection on it; other interim answers it passes over.
 */
function rewriteContinue(): (chunk: Buffer) => void {
  let start = '';
  let lineLength = 0;
  let isFinal = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length && !isFinal; at++) {
      const byte = chunk.readUInt8(at);
      if (start.length < statusEnd) {
        start += String.fromCharCode(byte);
        if (start.length < statusEnd) continue;
        if (start.endsWith(' 100')) chunk.write('2', at);
        lineLength = statusEnd;
        isFinal = !/^HTTP\/1\.[01] 1/.test(start);
      } else if (byte === lineFeed) {
        // An empty line ends the head of an interim answer, and another head follows.
        if (lineLength === 0) start = '';
        lineLength = 0;
      } else if (byte !== carriageReturn) lineLength += 1;
    }
  };
}
