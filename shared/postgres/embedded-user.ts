import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** User and group IDs for `spawn`. If empty, programs run with those of this process. */
export interface DatabaseUser {
  uid?: number;
  gid?: number;
}

/**
 * Finds the user for PostgreSQL, which refuses to run as root. For root it is the owner of the existing data, else the
 * system user `postgres` (created if missing), else `nobody`. Throws an `Error` if no user could be found or created.
 *
 * @param data an initialised data folder, if there is one
 */
export async function findDatabaseUser(data: string | undefined): Promise<DatabaseUser> {
  if (!isRoot()) return {};
  const user =
    (await ownerOf(data)) ?? (await lookUp('postgres')) ?? (await addUser()) ?? (await lookUp('nobody'));
  if (user) return user;
  throw new Error(
    'PostgreSQL refuses to run as root, and creating a user `postgres` for it failed. Create that user, start as another user, or set DATABASE_URL.',
  );
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** True if the user can list and write a folder, which includes access to all its parents. */
export async function canWrite(user: DatabaseUser, folder: string): Promise<boolean> {
  const script = 'cd "$1" && test -r . && test -w .';
  return run('/bin/sh', ['-c', script, 'sh', folder], { ...user, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function ownerOf(data: string | undefined): Promise<DatabaseUser | null> {
  if (!data) return null;
  const { uid, gid } = await stat(data);
  return uid === 0 ? null : { uid, gid };
}

async function lookUp(name: string): Promise<DatabaseUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

async function addUser(): Promise<DatabaseUser | null> {
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await run('useradd', [...options, 'postgres'])
    .catch(() => run('adduser', ['-S', '-D', '-H', 'postgres']))
    .catch(() => null);
  return lookUp('postgres');
}
