import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { SessionClient } from '../../shared/db/session.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { encryptedColumns, selectSealed } from '../../shared/runtime/encrypted-columns.ts';
import { createLogger, type Logger } from '../../shared/runtime/logger.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import { type Lifetime, runUntilStopped } from '../../shared/runtime/run-until-stopped.ts';
import type { Deps } from '../api/deps.ts';
import { tryAddress } from '../http/listen.ts';
import { environmentWith, startSettings } from './env.ts';
import { ensureFirstSite, type FirstSite } from './first-site.ts';
import { readSecret, storeSecret } from './secret-file.ts';
import { servePrepared } from './server-processes.ts';
import type { StartSettings } from './settings.ts';
import { warnOfIneffectiveSettings } from './warn-of-settings.ts';

export interface CheckoutPaths {
  /** Folder of all stored data: database, secret key and demo key. */
  dataDir: string;
  workerMain: string;
  /** Program that builds the studio; if undefined, the existing build is served. */
  studioBuilder?: string;
}

/**
 * Runs everything on one machine until it receives a stop signal: database, server in this process, worker in its own
 * process. The database ends last, because the others need it until their end. If something cannot start, it prints the
 * reason and exits.
 */
export async function runEverything(paths: CheckoutPaths) {
  const settings = startSettings();
  const logger = createLogger(settings);
  await runUntilStopped(logger, (lifetime) => startEverything(paths, settings, logger, lifetime)).catch(
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      logger.debug({ err: error }, 'start failed');
      process.exit(1);
    },
  );
}

async function startEverything(
  { dataDir, workerMain, studioBuilder }: CheckoutPaths,
  settings: StartSettings,
  logger: Logger,
  lifetime: Lifetime,
) {
  const { resources } = lifetime;
  await tryAddress(settings);
  warnOfIneffectiveSettings(settings, logger);
  if (studioBuilder) buildStudioBeside(studioBuilder, lifetime);
  const databaseUrl = settings.DATABASE_URL ?? (await startOwnDatabase(dataDir, lifetime));
  const DATABASE_URL = inSchema(databaseUrl, settings.DATABASE_SCHEMA);
  const storage = {
    DATABASE_URL,
    SECRET_KEY: settings.SECRET_KEY ?? (await ensureSecretKey(join(dataDir, 'secret-key'), DATABASE_URL)),
    MEDIA_URL: settings.MEDIA_URL ?? pathToFileURL(join(dataDir, 'media')).href,
  };
  const server = { ...settings, ...storage };
  const { prepared, closeServer } = await servePrepared(
    server,
    logger,
    (deps) => prepare(deps, settings, dataDir, DATABASE_URL),
    resources,
    { ...storage, RATE_LIMIT_STORE: server.RATE_LIMIT_STORE },
  );
  const worker = startWorkerProcess(
    workerMain,
    { ...storage, PUBLIC_URL: settings.PUBLIC_URL.origin },
    lifetime,
  );
  resources.defer(async () => void (await Promise.all([closeServer(), worker.stop()])));
  say(welcome(settings.PUBLIC_URL.origin, prepared));
}

/** Migrates the database, and ensures that it has a site. */
async function prepare(deps: Deps, settings: StartSettings, dataDir: string, databaseUrl: string) {
  const applied = await migrate(databaseUrl);
  if (applied.length > 0) say(`Applied database migrations: ${applied.join(', ')}`);
  const demo = settings.DEMO ?? settings.NODE_ENV !== 'production';
  const site = await ensureFirstSite(deps, {
    databaseUrl,
    email: settings.OWNER_EMAIL,
    password: settings.OWNER_PASSWORD,
    demo,
    onProgress: say,
  });
  const demoKey = demo ? await ensureDemoKey(deps, join(dataDir, 'demo-key'), site.demoKey) : null;
  return { ...site, demoKey };
}

/**
 * Returns the demo key, which a file stores so that every start can print it: the key in `made`, or the one in the
 * file. Null if that key is disabled or belongs to another database.
 */
async function ensureDemoKey({ findKey }: Deps, file: string, made: string | null): Promise<string | null> {
  if (made) {
    await rm(file, { force: true });
    return storeSecret(file, made);
  }
  const kept = await readSecret(file);
  const known = await findKey({ secret: kept ?? '', host: '', collection: null });
  return known?.active ? kept : null;
}

const say = (message: string) => console.log(message);

/** Starts the embedded database. If it ends by itself, this process fails too, so that a supervisor restarts everything. */
async function startOwnDatabase(dataDir: string, { resources, fail }: Lifetime): Promise<string> {
  const database = await startEmbeddedDatabase({
    dataDir: join(dataDir, 'postgres'),
    note: join(dataDir, 'postgres-made'),
    durable: true,
    onProgress: say,
    onLost: (logFile) => fail(`PostgreSQL ended unexpectedly; see its log: ${logFile}`),
  });
  resources.defer(() => database.stop());
  return database.url;
}

/**
 * Returns the secret key in the file, which is created on first use. Throws with advice if the file is missing but the
 * database has secrets sealed with its key: another key could not decrypt them.
 */
async function ensureSecretKey(file: string, databaseUrl: string): Promise<string> {
  if ((await readSecret(file)) === null && (await hasSealed(databaseUrl)))
    throw new Error(
      `Secret key missing: ${file} does not exist, but the database contains secrets of webhooks, newsletters or authenticator apps that were encrypted with it. Restore the file, for example from a backup, or set SECRET_KEY. If the key is lost, write a new long secret to the file and rotate the secret of each webhook. Sites that have sent newsletters cannot send more, and people sign in with passkeys or recovery codes instead of authenticator codes.`,
    );
  return storeSecret(file, randomBytes(32).toString('base64url'));
}

/** True if the database has long-lived secrets that need the key. */
async function hasSealed(connectionString: string): Promise<boolean> {
  // Warnings are printed later, when the database is opened for work.
  await checkDatabase(connectionString, { warn() {} });
  const client = new SessionClient({ connectionString, application_name: 'start' });
  await client.connect();
  try {
    for (const secret of encryptedColumns) {
      const { rows } = await client.query<{ exists: boolean }>(
        `select to_regclass('${secret.table}') is not null as exists`,
      );
      const any = `${selectSealed(secret)} limit 1`;
      if (rows[0]?.exists && (await client.query(any)).rows.length > 0) return true;
    }
    return false;
  } finally {
    await client.end();
  }
}

/**
 * Builds the studio in a process of low priority, if its sources changed. Until it is done, `/studio` reports that it
 * is being built; if it fails, everything except the studio works.
 */
function buildStudioBeside(builder: string, { resources }: Pick<Lifetime, 'resources'>) {
  const failure = 'Studio build failed; /studio is unavailable or outdated.';
  const build = spawn(process.execPath, [builder, '--if-changed'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (build.pid) yieldToOthers(build.pid);
  build.once('error', (error) => console.error(`${failure} ${error.message}`));
  build.once('exit', (code) => {
    if (code) console.error(`${failure} To see the error, run: npx -y pnpm build:studio`);
  });
  resources.defer(() => void build.kill());
}

function yieldToOthers(pid: number) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The build may have ended already.
  }
}

/**
 * Starts the worker process. Its own process group keeps Ctrl-C in the terminal from reaching it directly. If this
 * process dies, the worker notices the end of its IPC channel. If the worker ends by itself, this process fails.
 */
function startWorkerProcess(main: string, settings: Record<string, string>, { fail }: Lifetime) {
  const worker = spawn(process.execPath, [main], {
    env: environmentWith(settings),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  let stopping = false;
  const ended = new Promise<void>((resolve) => {
    worker.once('error', (error) => fail(`Worker failed to start: ${error.message}`));
    worker.once('close', (code, signal) => {
      resolve();
      if (!stopping) fail(`Worker ended unexpectedly with ${signal ?? `exit code ${code}`}.`, code || 1);
    });
  });
  return {
    async stop() {
      stopping = true;
      worker.kill('SIGTERM');
      await ended;
    },
  };
}

/** Creates the text that `pnpm start` prints when everything runs. `address` is an origin. */
function welcome(address: string, { ownerEmail, generatedPassword, demoKey }: FirstSite): string {
  return `
${bold('The site is ready:')} ${address}

  Owner    ${ownerEmail}
           ${password(ownerEmail, generatedPassword)}
  Studio   ${address}/studio
  API key  ${demoKey ?? `create one: ${opsCommand('keys create --name "My key" --scopes read,write')}`}

${bold('Try it:')}

${commands(address, demoKey ?? 'YOUR_API_KEY')}

Press Ctrl-C to stop.
`;
}

const password = (email: string, generated: string | null) =>
  generated
    ? `password ${generated}  (shown only once)`
    : `password unchanged; to reset it: ${opsCommand(`people reset-password ${email}`)}`;

const commands = (address: string, key: string) =>
  [
    `  curl -H 'Authorization: Bearer ${key}' '${address}/api/v1/posts?limit=3'`,
    `  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"title":"Hello, world"}' ${address}/api/v1/posts`,
    `  ${opener} ${address}/docs`,
  ].join('\n\n');

const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';

const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
