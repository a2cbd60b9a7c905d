import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { type Logger, pino } from 'pino';
import type { Registry } from 'prom-client';
import { inject } from 'vitest';
import type { Infrastructure, ServerConfig } from '../../server/api/deps.ts';
import { createMemoryRateLimiter } from '../../server/api/limits/memory-rate-limiter.ts';
import type { TierSettings } from '../../server/api/limits/tiers.ts';
import type { ThreadPool } from '../../server/api/thread-pool.ts';
import type { FollowTimes } from '../../server/events/live-log.ts';
import { buildApp } from '../../server/start/app.ts';
import { builtStudio, createDeps } from '../../server/start/compose.ts';
import { createThreadPool } from '../../server/threads/thread-pool.ts';
import {
  bodyLimitBytes,
  following,
  mailLimits,
  type TierName,
  timeouts,
} from '../../shared/contract/limits.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { base36, type RandomBytes, randomText } from '../../shared/contract/record-id.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { serverWaits, type Waits } from '../../shared/db/database-timeouts.ts';
import { openPool } from '../../shared/db/session.ts';
import { createMailer } from '../../shared/mail/mailer.ts';
import type { Outbox } from '../../shared/mail/outbox.ts';
import { createDiskStore } from '../../shared/media/disk-store.ts';
import { ownStore } from '../../shared/media/identity.ts';
import type { ObjectStore } from '../../shared/media/store.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import type { Timeouts } from '../../shared/runtime/timeouts.ts';
import { type ConnectDeps, createDnsLookup, createWebhookSender } from '../../shared/webhooks/index.ts';
import { TestClock } from './clock.ts';
import { inTime } from './eventually.ts';
import { type CallOptions, createCaller } from './http.ts';
import { createSeed } from './seed.ts';
import { databaseAt } from './template-database.ts';

export interface TestAppOptions {
  config?: Partial<ServerConfig>;
  /** Rate limits. They are off by default, so that only tests about limits set them. */
  limits?: TierSettings;
  /**
   * Name lookup and allowed addresses for webhooks. By default, names are really looked up and only public addresses
   * are allowed.
   */
  webhooks?: Partial<ConnectDeps>;
  /** URL of a mail server. */
  smtpUrl?: string;
  /** Outbox that stores email if there is no mail server. Without either, email is dropped, as in production. */
  outbox?: Outbox;
  /** Media store to use instead of an own directory. */
  media?: ObjectStore;
  /** PostgreSQL server to use instead of the run's. It needs the template database too. */
  serverUrl?: string;
  /** Logger; silent by default. */
  logger?: Logger;
  /** Source of IDs and secrets, for a test that needs the same ones in each run. */
  random?: RandomBytes;
  /** Registry that counts requests. */
  metrics?: Registry;
  /** Time limits of the database, for a test that waits until they pass. */
  waits?: Waits;
  /** Time limits of followers, for a test that waits until they pass. */
  following?: Partial<FollowTimes>;
  /** Time limits of clients, for a test that waits until they pass. */
  timeouts?: Partial<Timeouts>;
  /** Thread pool with other limits. */
  threadPool?: ThreadPool;
}

/** Key that opens the webhook secrets of test apps. */
export const testSecretKey = 'a secret key for tests';

/** Tiers that operators can turn off. The limits of email stay on. */
export const tiersOff = {
  normal: 'off',
  moderate: 'off',
  strict: 'off',
  studio: 'off',
  site: 'off',
  mcp: 'off',
  mcp_writes: 'off',
  poll: 'off',
} as const satisfies Record<TierName, 'off'>;

/** Settings without any limit, to which a test adds the one it is about. */
export const unlimited: TierSettings = {
  ...tiersOff,
  ...Object.fromEntries(keysOf(mailLimits).map((name) => [name, 'off'])),
};

/**
 * Time limits for a busy machine, where a connection or statement may take longer than callers of a real server should
 * wait.
 */
const patientWaits: Waits = {
  ...serverWaits,
  connectionMs: 60_000,
  lockMs: 60_000,
  readMs: 60_000,
  transactionMs: 60_000,
  pauseMs: 60_000,
};

/**
 * Thread pool that all apps of a process share. Loading a thread takes most of the time of a small import, so threads
 * stay loaded between the imports of a test file.
 */
const sharedThreadPool = createThreadPool({ idleMs: 20_000 });

/** Starts a server on its own port with a new database. Dispose of it with `await using`. */
export async function startApp({
  config = {},
  limits = unlimited,
  webhooks = {},
  smtpUrl,
  outbox,
  media,
  serverUrl = inject('databaseUrl'),
  logger = pino({ level: 'silent' }),
  random = randomBytes,
  metrics,
  waits = patientWaits,
  following: followTimes = {},
  timeouts: shorter = {},
  threadPool = sharedThreadPool,
}: TestAppOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const defer = (what: string, end: () => PromiseLike<unknown>) =>
    stack.defer(async () => void (await inTime(`${what} of a test's server`, end())));
  const name = `app_${randomText(base36, 12, randomBytes)}`;
  await asAdmin(serverUrl, `create database ${name} template template_app strategy file_copy`);
  defer('dropping the database', () => asAdmin(serverUrl, `drop database if exists ${name} with (force)`));
  const url = databaseAt(serverUrl, name);
  const database = await openDatabase({ url, poolSize: 5, applicationName: name, waits, byIndex: true });
  defer('closing the database', () => database.close());
  const clock = new TestClock();
  const mediaDir = await mkdtemp(join(tmpdir(), 'creator-content-media-'));
  stack.defer(() => rm(mediaDir, { recursive: true, force: true }));
  if (threadPool !== sharedThreadPool) defer('ending the threads', () => threadPool[Symbol.asyncDispose]());
  const deps = createDeps({
    database,
    clock,
    randomBytes: random,
    limiter: createMemoryRateLimiter(limits, clock),
    logger,
    webhooks: createWebhookDeps(webhooks),
    secrets: createSecretBox(testSecretKey, randomBytes),
    mailer: createMailer(smtpUrl ? { url: smtpUrl } : outbox, 'site@example.com', logger),
    media: ownStore(media ?? createDiskStore(mediaDir), database),
    metrics,
    following: { ...following, ...followTimes },
    timeouts: { ...timeouts, ...shorter },
    threadPool,
    config: {
      publicUrl: new URL('http://localhost:3000'),
      studioUrl: config.publicUrl ?? new URL('http://localhost:3000'),
      trustProxy: [],
      bodyLimitBytes,
      countsTest: false,
      // No test reaches Stripe: nothing listens there.
      stripeApiBase: new URL('http://127.0.0.1:9'),
      bounceDomain: null,
      studioDir: builtStudio,
      ...config,
    },
  });
  defer('closing the sender', () => deps.webhooks.sender.close());
  const server = buildApp(deps);
  defer('closing the server', () => server.close());
  const accepted = new Map<number | undefined, Socket>();
  server.server.on('connection', (socket) => accepted.set(socket.remotePort, socket));
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  const call = createCaller(baseUrl);
  const cleanUp = stack.move();
  return {
    baseUrl,
    databaseUrl: url,
    /** Directory of the media store, which contains nothing else. */
    mediaDir,
    deps,
    clock,
    seed: createSeed(deps),
    call,
    get: (path: string, options?: CallOptions) => call('GET', path, options),
    post: (path: string, options?: CallOptions) => call('POST', path, options),
    patch: (path: string, options?: CallOptions) => call('PATCH', path, options),
    delete: (path: string, options?: CallOptions) => call('DELETE', path, options),
    /** Like `call`, with another host name. */
    atHost: (host: string, method: string, path: string, options?: CallOptions) =>
      call(method, path, { ...options, headers: { host } }),
    /** Returns the number of open connections to the server. */
    connections: promisify(server.server.getConnections.bind(server.server)),
    /** Resolves when the server has closed the connection of this client, whether or not the client noticed. */
    async cutOff({ localPort }: Socket) {
      const socket = accepted.get(localPort);
      if (!socket) throw new Error(`no connection came from port ${localPort}`);
      if (!socket.closed) await once(socket, 'close');
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

function createWebhookDeps(options: Partial<ConnectDeps>): Infrastructure['webhooks'] {
  const connect = { lookup: createDnsLookup(), allowCidrs: [], timeoutMs: 10_000, ...options };
  return {
    rule: connect,
    sender: createWebhookSender(connect),
  };
}

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** Connections to the run's server, on which each app creates and drops its database. */
let sharedAdmin: pg.Pool | undefined;

async function asAdmin(url: string, statement: string) {
  if (url === inject('databaseUrl')) {
    sharedAdmin ??= openAdmin(url);
    await sharedAdmin.query(statement);
  } else {
    const admin = openAdmin(url);
    await admin.query(statement).finally(() => admin.end());
  }
}

// A pool without an error listener would end the process when the server stops.
const openAdmin = (url: string) =>
  openPool({ connectionString: url, max: 1, allowExitOnIdle: true }).on('error', () => {});
