import { createServer } from 'node:net';
import { memorySettings } from '../support/process.ts';
import { listen } from '../support/tls-receiver.ts';
import { startProcess, untilReady } from './processes.ts';
import { secretKey } from './site.ts';

/** Limits that are counted but never reached. */
const endless = '9999999/9999999';

/** Starts the server under test as an operator would. `readyMs` is the time until `/readyz` answered. */
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
  // One process. The cost of counting for several is measured separately.
  RATE_LIMIT_STORE: 'memory',
  RATE_LIMIT_NORMAL: endless,
  RATE_LIMIT_MODERATE: endless,
  RATE_LIMIT_SITE: endless,
  RATE_LIMIT_MCP: endless,
});

/** Starts the server for comparison: Fastify and `pg` alone. */
export async function startPlain(databaseUrl: string, answers: { siteId: string }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { DATABASE_URL: databaseUrl, PORT: `${port}`, SITE_ID: answers.siteId };
  const plain = startProcess(new URL('./processes/plain.ts', import.meta.url), env);
  const readyMs = await untilReady(plain.child, url);
  return { ...plain, url, readyMs };
}

/** Starts the server for comparison of cache misses and single reads: see `processes/limit.ts`. */
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

/** Sends JSON and returns the answer. Throws for another status than 2xx. */
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
