import { createServer } from 'node:net';
import { memorySettings } from '../support/process.ts';
import { listen } from '../support/tls-receiver.ts';
import { startProcess, untilReady } from './processes.ts';
import { secretKey } from './site.ts';

/** Limits are counted as ever, but nobody reaches them. */
const endless = '9999999/9999999';

/** The server under test, as an operator runs it; `readyMs` is how long it took to answer `/readyz`. */
export async function startService(databaseUrl: string, settings: Record<string, string> = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startProcess(
    new URL('../../server/main.ts', import.meta.url),
    { ...serviceEnv(databaseUrl, port), ...settings },
    'ignore',
  );
  const readyMs = await untilReady(service.child, url);
  return { ...service, url, readyMs };
}

const serviceEnv = (databaseUrl: string, port: number) => ({
  ...memorySettings,
  DATABASE_URL: databaseUrl,
  PORT: `${port}`,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SECRET_KEY: secretKey,
  // One process; what it costs to count for several is measured by itself.
  RATE_LIMIT_STORE: 'memory',
  RATE_LIMIT_NORMAL: endless,
  RATE_LIMIT_MODERATE: endless,
  RATE_LIMIT_SITE: endless,
  RATE_LIMIT_MCP: endless,
});

/** What the service is compared with: Fastify and `pg` alone. */
export async function startPlain(databaseUrl: string, answers: { siteId: string }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { DATABASE_URL: databaseUrl, PORT: `${port}`, SITE_ID: answers.siteId };
  const plain = startProcess(new URL('./processes/plain.ts', import.meta.url), env);
  const readyMs = await untilReady(plain.child, url);
  return { ...plain, url, readyMs };
}

/** What the service's misses and lone reads are measured against: see `processes/limit.ts`. */
export async function startLimit(databaseUrl: string, { siteId, key }: { siteId: string; key: string }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { DATABASE_URL: databaseUrl, PORT: `${port}`, SITE_ID: siteId, API_KEY: key };
  const limit = startProcess(new URL('./processes/limit.ts', import.meta.url), env);
  await untilReady(limit.child, url);
  return { ...limit, url };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Sends JSON, and gives what was answered. Throws for what is no success. */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: object = {},
): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.json();
}
