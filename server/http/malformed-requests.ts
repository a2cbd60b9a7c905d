import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { METHODS, maxHeaderSize, STATUS_CODES } from '../../shared/runtime/node-http.ts';
import { ApiError } from '../api/api-error.ts';

type BrokenRequest = NodeJS.ErrnoException & { rawPacket?: unknown };

/** Time for a refused client to read the answer, in milliseconds: closing immediately could discard it in transit. */
const lingerMs = 1_000;

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Messages for errors that a client can fix: filters with many long values make a long URL. */
const reasons: Record<number, string> = {
  431: `invalid request: URL and headers are larger than ${maxHeaderSize / 1024} KiB`,
};

/** Latest answer of each connection that has a request in progress. */
export type LatestAnswers = Pick<WeakMap<object, ServerResponse>, 'get' | 'has'>;

export function trackLatestAnswers({ server }: FastifyInstance): LatestAnswers {
  const latest = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => {
    const { socket } = request;
    latest.set(socket, response);
    // Otherwise a large answer would stay in memory while its connection is kept alive.
    const forget = () => latest.get(socket) === response && latest.delete(socket);
    response.once('finish', () => (request.complete ? forget() : request.once('close', forget)));
  });
  return latest;
}

/**
 * Answers input that Node cannot parse as HTTP, such as headers beyond 16 KiB, and closes the connection. Complete
 * requests that came before it on the connection get their answers first. A request that breaks off within its body
 * already has a handler: it is answered here unless the handler was faster.
 */
export function answerBrokenRequests(app: FastifyInstance, latest: LatestAnswers, newId: () => string) {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket: Socket) => refuse(socket, 400, newId(), true));
  return (error: BrokenRequest, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const response = latest.get(socket);
    const refuseIt = (hasBody: boolean) =>
      refuse(socket, statuses[error.code ?? ''] ?? 400, newId(), hasBody);
    const answerHead = () => refuseIt(isSurelyNotHead(error, socket));
    if (!response) return answerHead();
    const { req: request, writableFinished: isAnswered } = response;
    const answerBody = () => refuseIt(request.method !== 'HEAD');
    if (request.complete) isAnswered ? answerHead() : response.once('finish', answerHead);
    else if (isAnswered) endSoon(socket);
    else if (response.headersSent) response.once('finish', () => socket.destroy());
    else if (response.socket) answerBody();
    else response.once('socket', answerBody);
  };
}

/**
 * True if a request with an unreadable head cannot be a HEAD request, whose answer must have no body. The check needs
 * the beginning of the request. The packet contains it if it is everything that came on the connection, or begins with
 * a method. A packet may contain several requests.
 */
function isSurelyNotHead({ rawPacket }: BrokenRequest, { bytesRead }: Socket): boolean {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const isWhole = text !== '' && text.length === bytesRead;
  return (isWhole || METHODS.includes(text.split(' ', 1)[0] ?? '')) && !/^HEAD\b/m.test(text);
}

function refuse(socket: Socket, status: number, id: string, hasBody: boolean) {
  if (!socket.writable) return;
  const body = hasBody ? JSON.stringify(new ApiError('invalid_request', reasons[status]).body) : '';
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  endSoon(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

function endSoon(socket: Socket, answer = '') {
  socket.end(answer);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
