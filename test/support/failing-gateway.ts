import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, request as send } from 'undici';
import { listen } from './tls-receiver.ts';

/** Outcome of a request. With `cut after`, the server handles it and the answer is cut off. */
type GatewayFault = Refusal | 'cut before' | 'cut after' | 'no answer';

/** Answer of the gateway itself. Without `json` it is an HTML page. */
interface Refusal {
  status: number;
  retryAfter?: number;
  json?: string;
}

/**
 * Starts an HTTP gateway in front of a server. It passes requests through, except those with another outcome in the
 * queue.
 */
export async function startGateway(target: string) {
  const fates: GatewayFault[] = [];
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
    /** Requests, as `<method> <path>`. */
    requests,
    /** Idempotency key of each request. */
    keys,
    /** Adds the outcomes of the next requests to the queue. */
    next: (...coming: GatewayFault[]) => void fates.push(...coming),
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
