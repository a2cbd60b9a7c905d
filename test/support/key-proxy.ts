import { createServer, request } from 'node:http';
import { listen } from './tls-receiver.ts';

/**
 * Starts a proxy that forwards requests to `baseUrl` with an API key for the proxy's origin, for clients that cannot
 * send one.
 */
export async function startKeyProxy(baseUrl: string, keyFor: (origin: string) => Promise<string>) {
  let key = '';
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = request(
      baseUrl + incoming.url,
      { method: incoming.method ?? 'GET', headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const origin = `http://localhost:${await listen(server, 'localhost')}`;
  key = await keyFor(origin);
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
