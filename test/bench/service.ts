import { createServer } from 'node:net';
import manifest from '../../package.json' with { type: 'json' };
import { listen } from '../support/tls-receiver.ts';
import { startProcess, untilReady } from './processes.ts';
import { secretKey } from './site.ts';

/** Limits are counted as ever, but nobody reaches them. */
const endless = '9999999/9999999';

/** Memory settings of the `start` script: without them Node lets garbage gather as if the whole machine were its own. */
const memoryFlags = manifest.scripts.start.match(/--\S+/g) ?? [];
const memoryEnv = Object.fromEntries(
  manifest.scripts.start.matchAll(/(MALLOC_\w+)=(\S+)/g).map(([, ...pair]) => pair),
);

/** The server under test, as an operator runs it; `readyMs` is how long it took to answer `/readyz`. */
export async function startService(databaseUrl: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startProcess(
    new URL('../../server/main.ts', import.meta.url),
    serviceEnv(databaseUrl, port),
    memoryFlags,
  );
  const readyMs = await untilReady(service.child, url);
  return { ...service, url, readyMs };
}

const serviceEnv = (databaseUrl: string, port: number) => ({
  ...memoryEnv,
  DATABASE_URL: databaseUrl,
  PORT: `${port}`,
  SECRET_KEY: secretKey,
  RATE_LIMIT_NORMAL: endless,
  RATE_LIMIT_MODERATE: endless,
});

/** What the service is compared with: Fastify and `pg` alone. */
export async function startPlain(databaseUrl: string, answers: { siteId: string }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { DATABASE_URL: databaseUrl, PORT: `${port}`, SITE_ID: answers.siteId };
  const plain = startProcess(new URL('./processes/plain.ts', import.meta.url), env);
  await untilReady(plain.child, url);
  return { ...plain, url };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}
