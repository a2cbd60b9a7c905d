import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, request as send } from 'undici';
import { listen } from './tls-receiver.ts';

/** What becomes of a request; `cut after` lets the server do it, and loses the answer half way. */
type Fate = Refusal | 'cut before' | 'cut after' | 'no answer';

/** An answer of the gateway itself: a page when it has no `json`. */
interface Refusal {
  status: number;
  retryAfter?: number;
  json?: string;
}

/** An HTTP gateway before a server, which lets requests through when no other fate is left for them. */
export async function startGateway(target: string) {
  const fates: Fate[] = [];
  const requests: string[] = [];
  const keys: unknown[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    keys.push(request.headers['idempotency-key']);
    const fate = fates.shift();
    const { socket } = request;
    if (fate === 'no answer') return;
    if (fate === 'cut before') return void socket.destroy();
    if (typeof fate === 'object') return refuse(response, fate);
    const { statusCode, headers, body } = await forward(target, request);
    const text = await body.text();
    response.writeHead(statusCode, headers);
    if (fate !== 'cut after') return void response.end(text);
    response.write(text.slice(0, 1), () => socket.destroy());
  });
  const port = await listen(server, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** What came, as `<method> <path>`. */
    requests,
    /** The idempotency key of each. */
    keys,
    /** What becomes of the next requests, one by one. */
    next: (...coming: Fate[]) => void fates.push(...coming),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function refuse(response: ServerResponse, { status, retryAfter, json }: Refusal) {
  if (retryAfter) response.setHeader('retry-after', retryAfter);
  response.writeHead(status, { 'content-type': json ? 'application/json' : 'text/html' });
  response.end(json ?? '<h1>A page of the gateway</h1>');
}

function forward(target: string, request: IncomingMessage) {
  const { connection: _, host: __, ...headers } = request.headers;
  const method = request.method as Dispatcher.HttpMethod;
  const body = method === 'GET' ? null : request;
  return send(target + request.url, { method, headers, body });
}
