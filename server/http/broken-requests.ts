import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { METHODS, maxHeaderSize, STATUS_CODES } from '../../shared/runtime/node-http.ts';
import { ApiError } from '../api/api-error.ts';

type BrokenRequest = NodeJS.ErrnoException & { rawPacket?: unknown };

/** How long a refused client may take to read why: closing at once could discard it on the way. */
const lingerMs = 1_000;

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What a client can mend that sends what is HTTP otherwise: filters with many long values make a long address. */
const reasons: Record<number, string> = {
  431: `invalid request: URL and headers are larger than ${maxHeaderSize / 1024} KiB`,
};

/** The answer to the latest request of each connection that has one under way. */
export type LatestAnswers = Pick<WeakMap<object, ServerResponse>, 'get' | 'has'>;

export function trackLatestAnswers({ server }: FastifyInstance): LatestAnswers {
  const latest = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => {
    const { socket } = request;
    latest.set(socket, response);
    // Kept longer, a large answer would stay in memory as long as its connection is kept alive.
    const forget = () => latest.get(socket) === response && latest.delete(socket);
    response.once('finish', () => (request.complete ? forget() : request.once('close', forget)));
  });
  return latest;
}

/**
 * Answers what Node can't read as HTTP, such as headers beyond its limit of 16 KiB, and closes the connection. Requests
 * that came whole before it on the same connection get their answers first. One that breaks off within its body is with
 * its handler already: it is answered here, unless the handler was faster.
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
 * Whether a request whose head can't be read is none of HEAD. Its beginning has to be at hand for that, which is certain of
 * all that came on a connection, and told by a method else; several may have come at once.
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
