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
 * Makes an empty database with one user, `postgres`, and its password in the file `cluster/password` (mode 600). Stopped at any
 * moment, this leaves nothing that a later start would take for a database.
 *
 * @param durable false: doesn't wait for the disk
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
    // Built in, since machines differ in the locales they have; ICU collations can still be named in queries.
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
    // Another start at the same time may have been faster.
    if (isInitialised(home)) return;
    // Of a command that failed, this is what it wrote to stderr too.
    throw new Error(`Creating the PostgreSQL database in ${home.folder} failed. ${error}`);
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

export async function readPassword(home: Home): Promise<string> {
  return readFile(passwordFile(clusterOf(home.folder)), 'utf8');
}

function passwordFile(cluster: string): string {
  return join(cluster, 'password');
}

async function give(path: string, { user }: Home): Promise<void> {
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
}
