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
import type { Offload } from '../../server/api/offload.ts';
import type { FollowTimes } from '../../server/events/live-log.ts';
import { buildApp } from '../../server/start/app.ts';
import { builtStudio, createDeps } from '../../server/start/compose.ts';
import { createOffload } from '../../server/threads/offload.ts';
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
import { openPool } from '../../shared/db/session.ts';
import { serverWaits, type Waits } from '../../shared/db/waits.ts';
import { createMailer } from '../../shared/mail/mailer.ts';
import type { Outbox } from '../../shared/mail/outbox.ts';
import { createDiskStore } from '../../shared/media/disk-store.ts';
import { ownStore } from '../../shared/media/identity.ts';
import type { ObjectStore } from '../../shared/media/store.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import type { Timeouts } from '../../shared/runtime/timeouts.ts';
import { type ConnectDeps, createDnsLookup, createWebhookSender } from '../../shared/webhooks/index.ts';
import { TestClock } from './clock.ts';
import { databaseAt } from './database.ts';
import { type CallOptions, createCaller } from './http.ts';
import { inTime } from './in-time.ts';
import { createSeed } from './seed.ts';

export interface TestAppOptions {
  config?: Partial<ServerConfig>;
  /** Limits are off unless a test is about them. */
  limits?: TierSettings;
  /** Real name lookup, and public addresses only, unless a test says otherwise. */
  webhooks?: Partial<ConnectDeps>;
  /** A mail server. */
  smtpUrl?: string;
  /** Where mail is kept without one; without either it goes nowhere, as in production. */
  outbox?: Outbox;
  /** Another place for media than a directory of its own. */
  media?: ObjectStore;
  /** Another PostgreSQL than the test run's, with a template of its own. */
  serverUrl?: string;
  /** Silent unless a test reads the log. */
  logger?: Logger;
  /** Where ids and secrets come from, for a test that wants the same ones again. */
  random?: RandomBytes;
  /** Where requests are counted. */
  metrics?: Registry;
  /** Shorter ones, for a test that waits until they are over. */
  waits?: Waits;
  /** Shorter times of following events, for a test that waits for them. */
  following?: Partial<FollowTimes>;
  /** Shorter ones for a test that waits until it is over. */
  timeouts?: Partial<Timeouts>;
  /** Other limits of what is done in threads. */
  offload?: Offload;
}

/** Opens the webhook secrets of test apps. */
export const testSecretKey = 'a secret key for tests';

/** Tiers as operators can switch them off. The bounds on email stay. */
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

/** No limit at all, for tests to set the one that they are about. */
export const unlimited: TierSettings = {
  ...tiersOff,
  ...Object.fromEntries(keysOf(mailLimits).map((name) => [name, 'off'])),
};

/** On a busy machine a connection or statement may take longer than callers of a real server should wait. */
const patientWaits: Waits = {
  ...serverWaits,
  connectionMs: 60_000,
  lockMs: 60_000,
  readMs: 60_000,
  transactionMs: 60_000,
};

/** Apps of one process begin no threads that another has begun: loading what they need is most of the time of a small import. */
const sharedOffload = createOffload();

/** A server of its own on a port of its own, over a fresh database. Dispose of it with `await using`. */
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
  offload = sharedOffload,
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
  if (offload !== sharedOffload) defer('ending the threads', () => offload[Symbol.asyncDispose]());
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
    offload,
    config: {
      publicUrl: new URL('http://localhost:3000'),
      studioUrl: config.publicUrl ?? new URL('http://localhost:3000'),
      trustProxy: [],
      bodyLimitBytes,
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
    /** Where media are kept, and nothing else. */
    mediaDir,
    deps,
    clock,
    seed: createSeed(deps),
    call,
    get: (path: string, options?: CallOptions) => call('GET', path, options),
    post: (path: string, options?: CallOptions) => call('POST', path, options),
    patch: (path: string, options?: CallOptions) => call('PATCH', path, options),
    delete: (path: string, options?: CallOptions) => call('DELETE', path, options),
    /** As `call`, asking for another host. */
    atHost: (host: string, method: string, path: string, options?: CallOptions) =>
      call(method, path, { ...options, headers: { host } }),
    /** How many connections are open to it. */
    connections: promisify(server.server.getConnections.bind(server.server)),
    /** Resolves when the server has closed the connection of this client, whether or not the client knows. */
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

/** Of the run's own server, in which each app makes a database and drops it a moment later. */
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

// A pool without a listener would end the process when the server stops.
const openAdmin = (url: string) =>
  openPool({ connectionString: url, max: 1, allowExitOnIdle: true }).on('error', () => {});
