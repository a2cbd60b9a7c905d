import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { migrate } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/embedded.ts';
import { createLogger, type Logger } from '../../shared/process/logger.ts';
import { type Lifetime, runUntilStopped } from '../../shared/process/run-until-stopped.ts';
import { startSettings } from '../env.ts';
import type { Deps } from '../kernel/deps.ts';
import type { StartSettings } from '../settings.ts';
import { tryAddress } from '../surfaces/http/listen.ts';
import { buildStudioBeside } from './builds.ts';
import { warnOfDoubtful } from './doubtful-settings.ts';
import { ensureFirstSite } from './first-site.ts';
import { readSecret, storeSecret } from './secret-file.ts';
import { ensureSecretKey } from './secret-key.ts';
import { servePrepared } from './serve-prepared.ts';
import { welcome } from './welcome.ts';
import { startWorkerProcess } from './worker-process.ts';

/** Where a checkout keeps things. */
export interface CheckoutPaths {
  /** Folder for all that is kept: the database, the secret key, the demo key. */
  dataDir: string;
  /** The worker's entry. */
  workerMain: string;
  /** The program that builds the studio; without one it is served as it was built before. */
  studioBuilder?: string;
}

/**
 * Runs everything on one machine until it is told to stop: the database, the server in this process, the worker in one
 * of its own. The database ends last, so that nobody loses it while still at work. What can't start says why and exits.
 */
export async function runEverything(places: CheckoutPaths) {
  const settings = startSettings();
  const logger = createLogger(settings);
  await runUntilStopped(logger, (lifetime) =>
    startEverything({ ...places, settings, logger }, lifetime),
  ).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    logger.debug({ err: error }, 'start failed');
    process.exit(1);
  });
}

interface Start extends CheckoutPaths {
  settings: StartSettings;
  logger: Logger;
}

async function startEverything(
  { settings, logger, dataDir, workerMain, studioBuilder }: Start,
  lifetime: Lifetime,
) {
  const { resources } = lifetime;
  await tryAddress(settings);
  warnOfDoubtful(settings, logger);
  if (studioBuilder) buildStudioBeside(studioBuilder, lifetime);
  const databaseUrl = settings.DATABASE_URL ?? (await startOwnDatabase(dataDir, lifetime));
  const DATABASE_URL = inSchema(databaseUrl, settings.DATABASE_SCHEMA);
  const storage = {
    DATABASE_URL,
    SECRET_KEY: settings.SECRET_KEY ?? (await ensureSecretKey(join(dataDir, 'secret-key'), DATABASE_URL)),
    MEDIA_URL: settings.MEDIA_URL ?? pathToFileURL(join(dataDir, 'media')).href,
  };
  const server = { ...settings, ...storage };
  const { RATE_LIMIT_STORE } = server;
  const { prepared, closeServer } = await servePrepared(
    {
      settings: server,
      environment: { ...storage, RATE_LIMIT_STORE },
      logger,
      prepare: (deps) => prepare(deps, { settings, dataDir, databaseUrl: DATABASE_URL }),
    },
    resources,
  );
  const worker = startWorkerProcess(
    workerMain,
    { ...storage, PUBLIC_URL: settings.PUBLIC_URL.origin },
    lifetime,
  );
  resources.defer(async () => void (await Promise.all([closeServer(), worker.stop()])));
  say(welcome({ ...prepared, address: settings.PUBLIC_URL.origin }));
}

/** Brings the database up to date, with a site in it. */
async function prepare(
  deps: Deps,
  { settings, dataDir, databaseUrl }: Pick<Start, 'settings' | 'dataDir'> & { databaseUrl: string },
) {
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
 * The demo key, which a file keeps so that every start can show it: the one just `made`, else the one in the file; null
 * when that does not work any more, or belongs to another database.
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

/** When it ends by itself, so does everything: whatever keeps this process alive starts it anew. */
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
