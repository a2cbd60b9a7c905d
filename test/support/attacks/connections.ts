import { createServer } from 'node:net';
import { createSubscription } from '../../bench/site.ts';
import { openRaw } from '../raw-http.ts';
import type { Attack, Attacker } from './attacker.ts';
import { repeatText } from './attacker.ts';

/** Opens a connection, sends the beginning of a request, and keeps it open until the attack is over. */
async function hold({ baseUrl, over }: Attacker, begin: string, more = '') {
  using connection = await openRaw(baseUrl);
  connection.socket.removeAllListeners('data');
  connection.socket.pause();
  connection.send(begin);
  const timer = setInterval(() => more && connection.send(more), 50);
  await new Promise((resolve) => {
    if (over.aborted) return resolve(undefined);
    over.addEventListener('abort', resolve, { once: true });
  });
  clearInterval(timer);
}

const head = ({ host, key }: Attacker, method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${more}`;

const body = 'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n';
const form = 'Content-Type: multipart/form-data; boundary=a\r\nContent-Length: 1000000\r\n\r\n';

/** Attacks by slow clients and endless requests. */
export const connections: Attack[] = [
  {
    name: 'endless request heads',
    atOnce: 200,
    send: (site) => hold(site, head(site, 'GET', '/'), 'X-A: b\r\n'),
  },
  {
    name: 'endless request bodies',
    atOnce: 200,
    send: (site) => hold(site, head(site, 'POST', '/api/v1/posts', body), ' '),
  },
  {
    name: 'endless uploads',
    atOnce: 100,
    send: (site) => hold(site, head(site, 'POST', '/api/v2/media', form), '-'),
  },
  {
    name: 'clients that do not read large answers',
    atOnce: 100,
    isFull: true,
    send: (site, at) => hold(site, head(site, 'GET', `/api/v2/posts?per_page=${200 - at}`, '\r\n')),
  },
  {
    name: 'clients that do not read long posts',
    atOnce: 100,
    isFull: true,
    send: (site, at) => hold(site, head(site, 'GET', `/api/v1/posts/r-${at + 1}`, '\r\n')),
  },
  {
    name: 'many requests on one connection',
    atOnce: 4,
    send: (site) => hold(site, head(site, 'GET', '/api/v1/posts?limit=100', '\r\n').repeat(100)),
  },
  {
    name: 'webhooks whose receivers hang',
    atOnce: 50,
    send: async (site) => {
      const receiver = createServer();
      receiver.listen(0, '127.0.0.1');
      const address = receiver.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const id = await createSubscription(site.deps, site.siteId, `https://127.0.0.1:${port}/`);
      const requested = site.ask(`/api/admin/webhooks/${id}/test`, { as: 'owner', method: 'POST' });
      // The request fails when the attack is over.
      await Promise.race([requested, hold(site, head(site, 'GET', '/', ''))]).finally(() => receiver.close());
    },
  },
  {
    name: 'deeply nested JSON and JSON with many names',
    async send(site) {
      await site.ask('/api/v1/posts', { body: `{"title":${'['.repeat(900_000)}${']'.repeat(900_000)}}` });
      // Sizes above the limit and just below it.
      for (const length of [100_000, 10_000]) {
        const names = Object.fromEntries(Array.from({ length }, (_, at) => [`name${at}`, at]));
        await site.ask('/api/v1/posts', { body: names });
      }
      await site.ask('/api/v1/posts', { body: { title: 'a', tags: repeatText('a', 190_000).split('') } });
    },
  },
  {
    name: 'page views with distinct paths',
    atOnce: 16,
    async send(site, at) {
      for (let round = 0; round < 20; round += 1) {
        const views = Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [
            n,
            {
              json: {
                path: `/${at}/${round}/${n}/${repeatText('a', 300)}`,
                referrer: `https://${at}-${round}-${n}.example/`,
                utm_source: repeatText(`${at} ${round} ${n} `, 200),
              },
            },
          ]),
        );
        const names = Object.keys(views).map(() => 'site.analytics.track');
        await site.ask(`/trpc/${names.join(',')}?batch=1`, { as: 'visitor', body: views });
      }
      await site.ask('/api/v2/analytics?period=90d');
    },
  },
];
