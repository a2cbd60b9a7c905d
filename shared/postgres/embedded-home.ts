import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canWrite, type DatabaseUser, findDatabaseUser, isRoot } from './embedded-user.ts';

const run = promisify(execFile);

/** Where root keeps what the database's user can't reach inside the checkout: programs and data. */
export const SHARED_FOLDER = '/var/lib/creator-content-service';

/** The folder that holds one database and what belongs to it, and the user that owns it. */
export interface Home {
  folder: string;
  user: DatabaseUser;
}

/** The data folder proper, as PostgreSQL knows it, inside its home. */
export function clusterOf(folder: string): string {
  return join(folder, 'cluster');
}

/**
 * The home for `dataDir`, made if missing: `dataDir` itself, or for root, where the database's user can't get there (a checkout
 * under /root), `/var/lib/creator-content-service/data-<hash of dataDir>`. Data that exists stays where it is.
 */
export async function findHome(dataDir: string): Promise<Home> {
  await mkdir(dataDir, { recursive: true }).catch((error: unknown) => {
    throw new Error(
      `Cannot create the data folder ${dataDir}: check the owner and mode of its parent folder, or set DATABASE_URL. ${error}`,
    );
  });
  const beside = await realpath(dataDir);
  const folders = isRoot() ? [beside, awayFrom(beside)] : [beside];
  const used = folders.find((folder) => existsSync(clusterOf(folder)));
  const user = await findDatabaseUser(used && clusterOf(used));
  for (const folder of used ? [used] : folders) {
    if (isRoot()) await give(folder, user);
    if (await canWrite(user, folder)) return { folder, user };
  }
  const who = user.uid === undefined ? 'This user' : `The user that PostgreSQL runs as (uid ${user.uid})`;
  throw new Error(
    `${who} cannot read and write ${used ?? beside}: check the owner and mode of the folder and its parents, or set DATABASE_URL.`,
  );
}

/** Makes root's folder for what must be reachable by others. */
export async function makeSharedFolder(): Promise<void> {
  await mkdir(SHARED_FOLDER, { recursive: true });
  // Root's umask may be 077.
  await chmod(SHARED_FOLDER, 0o755);
}

function awayFrom(dataDir: string): string {
  return join(SHARED_FOLDER, `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`);
}

async function give(folder: string, { uid, gid }: DatabaseUser): Promise<void> {
  if (folder.startsWith(SHARED_FOLDER)) await makeSharedFolder();
  await mkdir(folder, { recursive: true });
  const { uid: owner } = await stat(existsSync(clusterOf(folder)) ? clusterOf(folder) : folder);
  // Root owns what it just made, and what it copied from a checkout or a backup.
  if (owner === 0) await run('chown', ['-hR', `${uid}:${gid}`, folder]);
}
