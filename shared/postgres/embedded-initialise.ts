import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clusterOf, type Home } from './embedded-home.ts';
import { PROGRAM_ENV } from './embedded-programs.ts';

const run = promisify(execFile);

export function isInitialised(home: Home): boolean {
  return existsSync(clusterOf(home.folder));
}

/**
 * Creates an empty database with one user, `postgres`, and its password in the file `cluster/password` (mode 600). If it is
 * interrupted, no later start mistakes the remains for a database. Does nothing if another process creates the database at
 * the same time. Throws an `Error` with the output of `initdb` if it fails.
 *
 * @param durable false skips waiting for the disk
 */
export async function initialise(home: Home, programs: string, durable: boolean): Promise<void> {
  const workplace = await mkdtemp(join(home.folder, 'unfinished-'));
  const cluster = join(workplace, 'cluster');
  const password = join(workplace, 'password');
  const options = [
    ['--pgdata', cluster],
    ['--username', 'postgres'],
    ['--pwfile', password],
    ['--auth', 'scram-sha-256'],
    ['--encoding', 'UTF8'],
    // The built-in provider, because machines differ in their locales. Queries can still name ICU collations.
    ['--locale-provider', 'builtin'],
    ['--builtin-locale', 'C.UTF-8'],
    ['--locale', 'C'],
    durable ? [] : ['--no-sync'],
  ];
  try {
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    for (const path of [workplace, password]) await give(path, home);
    await run(join(programs, 'bin', 'initdb'), options.flat(), { ...home.user, cwd: '/', env: PROGRAM_ENV });
    await rename(password, passwordFile(cluster));
    await rename(cluster, clusterOf(home.folder));
  } catch (error) {
    // Another process that started at the same time may have created it first.
    if (isInitialised(home)) return;
    // For a failed command, the error includes its stderr.
    throw new Error(`Creating the PostgreSQL database in ${home.folder} failed. ${error}`);
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

/** Reads the password of the database's user. Rejects if the database is not initialized. */
export async function readPassword(home: Home): Promise<string> {
  return readFile(passwordFile(clusterOf(home.folder)), 'utf8');
}

function passwordFile(cluster: string): string {
  return join(cluster, 'password');
}

async function give(path: string, { user }: Home): Promise<void> {
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
}
