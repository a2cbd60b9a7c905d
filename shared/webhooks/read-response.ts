import type { Socket } from 'node:net';
import { DeliveryFailure } from './delivery-failure.ts';

/**
 * Maximum number of bytes read of a response: interim (1xx) responses, status line, headers, body, chunk sizes and
 * extensions, and trailers together.
 */
export const answerLimit = 16 * 1024;

/** Maximum number of interim responses before the final one. */
export const interimLimit = 8;

/** Observer of the response on a connection. */
export interface WebhookAnswer {
  /** Starts a request: later bytes belong to its response. */
  begin(): void;
  /** Releases the text of the final headers, after they were parsed. */
  headCame(): void;
  /** Returns the status if a 2xx status line arrived although its headers are incomplete or broken; otherwise null. */
  acknowledgedBy(): number | null;
  /** Limits the bytes that are read from a connection, and destroys it if more arrive. */
  bound(socket: Socket): void;
}

export function watchAnswer(): WebhookAnswer {
  let bytes = 0;
  // One buffer for all chunks. Chunks of one byte each would take a hundred times the memory.
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
      // The HTTP parser counts neither interim responses nor chunk extensions, so count the bytes that it reads.
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

/**
 * Returns the status of the first final status line. Null if it is incomplete or is not 2xx, or after too many interim
 * responses.
 */
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
 * Rewrites `100 Continue` as `102 Processing` in the chunks of one response, in place, wherever they are split. A
 * server may send 100 without a request (RFC 9110, 15.2.1), but undici closes the connection then. It ignores other
 * interim responses.
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
        // An empty line ends an interim response, and the next status line follows.
        if (lineLength === 0) start = '';
        lineLength = 0;
      } else if (byte !== carriageReturn) lineLength += 1;
    }
  };
}
