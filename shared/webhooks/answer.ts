import type { Socket } from 'node:net';
import { rewriteContinue } from './continue.ts';
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
