import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer } from 'node:https';
import type { Socket, Server as TcpServer } from 'node:net';
import { generate } from 'selfsigned';

type Certificate = { cert: string; private: string };

type CertificateNames = { dns?: readonly string[]; ip?: readonly string[]; notAfter?: Date };

/** Creates a self-signed certificate. A client trusts it if it is passed as `ca`. */
export function createCertificate(names: CertificateNames = {}) {
  const {
    dns = ['localhost'],
    ip = ['127.0.0.1', '::1'],
    notAfter = new Date(Date.now() + 86_400_000),
  } = names;
  const altNames = [
    ...dns.map((value) => ({ type: 2 as const, value })),
    ...ip.map((address) => ({ type: 7 as const, ip: address })),
  ];
  return generate([{ name: 'commonName', value: 'webhook receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(notAfter.getTime() - 7 * 86_400_000),
    notAfterDate: notAfter,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames },
    ],
  });
}

type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

/** `answer` may write to `request.socket` to send what no HTTP library would. */
type ReceiverOptions = { answer?: RequestListener; certificate?: Certificate | null };

/**
 * Starts a webhook receiver on a free loopback port that stores requests. It uses plain HTTP if `certificate` is null.
 */
export async function startReceiver({ answer = acknowledge, certificate }: ReceiverOptions = {}) {
  const identity = certificate === undefined ? await createCertificate() : certificate;
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks) });
      answer(request, response);
    });
  };
  const server = identity
    ? createServer({ cert: identity.cert, key: identity.private }, listener)
    : createPlainServer(listener);
  server.on('connection', () => connections++);
  // Tests close connections in the middle of an answer.
  server.on(identity ? 'secureConnection' : 'connection', (socket: Socket) => socket.on('error', () => {}));
  const port = await listen(server, '127.0.0.1');
  return {
    url: `${identity ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    port,
    ca: identity?.cert ?? '',
    requests,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () => closeNow(server),
  };
}

/** Resolves with the port when the server accepts connections. Port 0 chooses a free one. */
export function listen(server: TcpServer, host: string, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      const bound = server.address();
      resolve(bound && typeof bound === 'object' ? bound.port : 0);
    });
  });
}

function acknowledge(_request: IncomingMessage, response: Parameters<RequestListener>[1]): void {
  response.end('ok');
}

export function closeNow(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
