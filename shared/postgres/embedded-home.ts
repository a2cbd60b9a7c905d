import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canWrite, type DatabaseUser, findDatabaseUser, isRoot } from './embedded-user.ts';

const run = promisify(execFile);

/** Folder for programs and data if the service runs as root and the database's user cannot reach the checkout. */
export const SHARED_FOLDER = '/var/lib/creator-content-service';

/** Folder with one database and its files, and the user that owns it. */
export interface Home {
  folder: string;
  user: DatabaseUser;
}

/** Returns the data folder of PostgreSQL inside a home. */
export function clusterOf(folder: string): string {
  return join(folder, 'cluster');
}

/**
 * Finds the home for `dataDir`, and creates it if missing. It is normally `dataDir` itself. For root it is
 * `/var/lib/creator-content-service/data-<hash of dataDir>` if the database's user cannot reach `dataDir`, such as a
 * checkout under /root. Existing data stays where it is. Throws an `Error` if no folder is writable.
 */
export async function findHome(dataDir: string): Promise<Home> {
  await mkdir(dataDir, { recursive: true }).catch((error: unknown) => {
    throw new Error(
      `Cannot create the data folder ${dataDir}: check the owner and mode of its parent folder, or set DATABASE_URL. ${error}`,
    );
  });
  const beside = await realpath(dataDir);
  const folders = isRoot() ? [beside, outsideOf(beside)] : [beside];
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

/** Creates root's shared folder, which the database's user can read. */
export async function makeSharedFolder(): Promise<void> {
  await mkdir(SHARED_FOLDER, { recursive: true });
  // Root's umask may be 077, but the database's user has to reach the folder.
  await chmod(SHARED_FOLDER, 0o755);
}

function outsideOf(dataDir: string): string {
  return join(SHARED_FOLDER, `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`);
}

async function give(folder: string, { uid, gid }: DatabaseUser): Promise<void> {
  if (folder.startsWith(SHARED_FOLDER)) await makeSharedFolder();
  await mkdir(folder, { recursive: true });
  const { uid: owner } = await stat(existsSync(clusterOf(folder)) ? clusterOf(folder) : folder);
  // Root owns folders that it just created, or copied from a checkout or a backup.
  if (owner === 0) await run('chown', ['-hR', `${uid}:${gid}`, folder]);
}
