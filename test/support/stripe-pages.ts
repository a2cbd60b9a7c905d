import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Serves an app to browsers with one change: Stripe's pages are at a server of this machine, in redirects and in the policies that allow
 * them. `seen` lists the paths that browsers requested there. Dispose of it.
 */
export async function startStripePages(target: string) {
  const seen: string[] = [];
  const pages = createServer(({ url = '' }, answer) => {
    if (url !== '/favicon.ico') seen.push(url);
    answer
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Pay</title><h1>Pay here</h1>');
  });
  const at = await listen(pages);
  const rename = (text: string) => text.replaceAll(/https:\/\/(checkout|billing)\.stripe\.com/g, at);
  const front = createServer((requested, answer) => {
    const { method, url, headers } = requested;
    const passed = request(new URL(url ?? '/', target), { method, headers }, (got) => {
      const renamed = Object.entries(got.headers).map(([name, value]) => [
        name,
        typeof value === 'string' ? rename(value) : value,
      ]);
      answer.writeHead(got.statusCode ?? 502, Object.fromEntries(renamed));
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    requested.pipe(passed);
  });
  return {
    url: await listen(front),
    seen,
    async [Symbol.asyncDispose]() {
      for (const server of [front, pages]) {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
