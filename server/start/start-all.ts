import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { migrate } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/embedded.ts';
import { createLogger, type Logger } from '../../shared/process/logger.ts';
import { openMetrics } from '../../shared/process/metrics-server.ts';
import { type Lifetime, runUntilStopped } from '../../shared/process/run-until-stopped.ts';
import { createDeps, openInfrastructure } from '../compose.ts';
import { startSettings } from '../env.ts';
import type { Deps } from '../kernel/deps.ts';
import { serve } from '../serve.ts';
import type { ServerSettings, StartSettings } from '../settings.ts';
import { tryAddress } from '../surfaces/http/listen.ts';
import { buildStudioBeside, bundleBeside } from './builds.ts';
import { ensureDemoKey } from './demo-key.ts';
import { warnOfDoubtful } from './doubtful-settings.ts';
import { ensureFirstSite } from './first-site.ts';
import { ensureSecretKey } from './secret-key.ts';
import { serveInSeveral } from './several.ts';
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
  /** The program that bundles the service. */
  bundler?: string;
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
    logger.debug({ err: error }, 'could not start');
    process.exit(1);
  });
}

interface Start extends CheckoutPaths {
  settings: StartSettings;
  logger: Logger;
}

async function startEverything(
  { settings, logger, dataDir, workerMain, studioBuilder, bundler }: Start,
  lifetime: Lifetime,
) {
  const { resources } = lifetime;
  await tryAddress(settings);
  warnOfDoubtful(settings, logger);
  if (studioBuilder) buildStudioBeside(studioBuilder, lifetime);
  const databaseUrl = settings.DATABASE_URL ?? (await startOwnDatabase(dataDir, resources));
  const DATABASE_URL = inSchema(databaseUrl, settings.DATABASE_SCHEMA);
  const storage = {
    DATABASE_URL,
    SECRET_KEY: settings.SECRET_KEY ?? (await ensureSecretKey(join(dataDir, 'secret-key'), DATABASE_URL)),
    MEDIA_URL: settings.MEDIA_URL ?? pathToFileURL(join(dataDir, 'media')).href,
  };
  const server = { ...settings, ...storage };
  const { site, closeServer } = await (settings.WEB_CONCURRENCY === 1 ? startAlone : startSeveral)(
    { server, settings, logger, dataDir },
    resources,
  );
  const worker = startWorkerProcess(
    workerMain,
    { ...storage, PUBLIC_URL: settings.PUBLIC_URL.origin },
    lifetime,
  );
  resources.defer(async () => void (await Promise.all([closeServer(), worker.stop()])));
  say(welcome({ ...site, address: settings.PUBLIC_URL.origin }));
  if (bundler) bundleBeside(bundler, lifetime);
}

interface ServerStart extends Pick<Start, 'settings' | 'logger' | 'dataDir'> {
  /** The settings, with the database and the secret key that there are by now. */
  server: ServerSettings;
}

async function startAlone(start: ServerStart, resources: AsyncDisposableStack) {
  const { server, logger } = start;
  const metrics = await openMetrics(server, resources);
  const deps = createDeps(await openInfrastructure(server, { logger, metrics }, resources));
  const prepared = prepare(deps, start);
  const closeServer = await serve(deps, server, { prepared });
  return { site: await prepared, closeServer };
}

async function startSeveral(start: ServerStart, resources: AsyncDisposableStack) {
  const { server, logger } = start;
  await using meanwhile = new AsyncDisposableStack();
  const deps = createDeps(await openInfrastructure(server, { logger }, meanwhile));
  const site = await prepare(deps, start);
  await meanwhile.disposeAsync();
  const { DATABASE_URL, SECRET_KEY, MEDIA_URL = '', RATE_LIMIT_STORE } = server;
  // What is done once has been done.
  const environment = {
    ...{ DATABASE_URL, SECRET_KEY, MEDIA_URL, RATE_LIMIT_STORE },
    ...{ OWNER_EMAIL: '', OWNER_PASSWORD: '' },
  };
  return { site, closeServer: await serveInSeveral({ settings: server, environment, logger }, resources) };
}

/** Brings the database up to date, with a site in it. */
async function prepare(deps: Deps, { server, settings, dataDir }: ServerStart) {
  const applied = await migrate(server.DATABASE_URL);
  if (applied.length > 0) say(`Brought the database up to date: ${applied.join(', ')}`);
  const demo = settings.DEMO ?? settings.NODE_ENV !== 'production';
  const site = await ensureFirstSite(deps, {
    databaseUrl: server.DATABASE_URL,
    email: settings.OWNER_EMAIL,
    password: settings.OWNER_PASSWORD,
    demo,
    onProgress: say,
  });
  const demoKey = demo ? await ensureDemoKey(deps, join(dataDir, 'demo-key'), site.demoKey) : null;
  return { ...site, demoKey };
}

const say = (message: string) => console.log(message);

async function startOwnDatabase(dataDir: string, resources: AsyncDisposableStack): Promise<string> {
  const database = await startEmbeddedDatabase({
    dataDir: join(dataDir, 'postgres'),
    note: join(dataDir, 'postgres-made'),
    durable: true,
    onProgress: say,
  });
  resources.defer(() => database.stop());
  return database.url;
}
