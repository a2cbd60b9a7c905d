import { request } from 'node:http';
import { createServer } from 'node:https';
import { closeNow, createCertificate, listen } from '../support/tls-receiver.ts';

/** Serves HTTPS on `port` in front of an HTTP server, as a proxy of an operator does. Dispose of it. */
export async function startTlsEnd(port: number, target: string) {
  const { cert, private: key } = await createCertificate();
  const server = createServer({ cert, key }, (requested, answer) => {
    const { method, url, headers } = requested;
    const forwarded = { ...headers, 'x-forwarded-proto': 'https' };
    const passed = request(new URL(url ?? '/', target), { method, headers: forwarded }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    // Browsers close connections at any time.
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    requested.pipe(passed);
  });
  await listen(server, '127.0.0.1', port);
  return { [Symbol.asyncDispose]: () => closeNow(server) };
}
