import { createHash } from 'node:crypto';
import { chown, lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { readStoreId, storeIdContent, storeIdKey } from '../../../shared/media/identity.ts';
import { openObjectStore } from '../../../shared/media/open-store.ts';
import { isMediaKey, type ObjectStore } from '../../../shared/media/store.ts';
import { flushDirectory, nullIfMissing } from '../../../shared/runtime/file-system.ts';
import { readSecret, storeSecret } from '../../start/secret-file.ts';
import type { Entry } from './archive-reader.ts';
import { connectToCopy } from './catalog.ts';
import { paths } from './contents.ts';
import { findStoreId } from './media-files.ts';
import type { Backup } from './open-backup.ts';

export interface InstallationPaths {
  secretFile: string;
  /** Null if media are not on this machine. */
  mediaDir: string | null;
  media: ObjectStore;
}

/**
 * Returns the paths of an installation. `mediaUrl` is a `file:` directory or another store; if undefined, media are
 * below `dataDir`.
 */
export function installationPaths(dataDir: string, mediaUrl: string | undefined): InstallationPaths {
  const mediaDir = mediaDirOf(dataDir, mediaUrl);
  return { secretFile: join(dataDir, 'secret-key'), mediaDir, media: openObjectStore(mediaDir ?? mediaUrl) };
}

function mediaDirOf(dataDir: string, mediaUrl: string | undefined): string | null {
  if (mediaUrl === undefined) return join(dataDir, 'media');
  return mediaUrl.startsWith('file:') ? fileURLToPath(mediaUrl) : null;
}

/**
 * Throws an `Error` unless the files of a backup can be put in place: none exist yet, or only identical ones, as
 * after an interrupted restore. Files that do not belong to this service are ignored.
 */
export async function refuseOtherFiles(
  backup: Backup,
  { secretFile, mediaDir, media }: InstallationPaths,
  givenKey: string | undefined,
): Promise<void> {
  const { secretKey } = backup;
  const other = 'not the secret key of the backup, so it cannot decrypt the secrets in the backup';
  const storedKey = await readSecret(secretFile);
  if (secretKey !== null && givenKey !== undefined && givenKey !== secretKey)
    throw new Error(`SECRET_KEY is ${other}: unset it, or set it to the key of the backup.`);
  if (secretKey !== null && storedKey !== null && storedKey !== secretKey)
    throw new Error(`The key in ${secretFile} is ${other}: move the file away first.`);
  const wanted = new Map(mediaOf(backup).map((entry) => [keyOf(entry), entry.sha256]));
  for (const key of mediaDir === null ? [] : await ownFilesOf(mediaDir))
    if (!wanted.has(key)) throw otherFiles(mediaDir, key);
  for (const [key, sha256] of wanted)
    if (key !== storeIdKey && ![null, sha256].includes(await hashOf(media, key)))
      throw otherFiles(mediaDir, key);
}

const otherFiles = (mediaDir: string | null, key: string) =>
  new Error(
    `${mediaDir ?? 'The bucket at MEDIA_URL'} contains files that are not in the backup, for example ${key}: restore into an empty media store.`,
  );

/**
 * Throws an `Error` if the media store belongs to an installation other than that of the backup or the restored one.
 * Throws `MediaUnavailableError` if it is unavailable.
 */
export async function refuseOtherStore(
  backup: Backup,
  { media }: InstallationPaths,
  databaseUrl: string,
): Promise<void> {
  const entries = mediaOf(backup);
  const storeId = entries.length > 0 ? await readStoreId(media) : null;
  if (storeId === null) return;
  await using client = await connectToCopy(databaseUrl, 'restore');
  const own = await findStoreId(client);
  const backedUp = entries.find((entry) => keyOf(entry) === storeIdKey);
  const storeIdInBackup = backedUp && (await text(backedUp.content()));
  if (storeId !== own && storeIdInBackup !== storeIdContent(storeId))
    throw new Error('The media store belongs to another installation: restore into an empty media store.');
}

/**
 * Puts the files of a backup in place. If root restores them, they belong to the user of the service afterwards. If it is
 * interrupted, `refuseOtherFiles` accepts the result, so it can run again.
 */
export async function restoreFiles(
  backup: Backup,
  { secretFile, mediaDir, media }: InstallationPaths,
): Promise<void> {
  if (backup.secretKey !== null) {
    await storeSecret(secretFile, backup.secretKey);
    await flushDirectory(dirname(secretFile));
  }
  for (const entry of mediaOf(backup)) {
    if ((await hashOf(media, keyOf(entry))) !== entry.sha256)
      await media.put(keyOf(entry), entry.content(), entry.bytes);
  }
  if (process.getuid?.() !== 0) return;
  await giveToServiceUser(secretFile);
  if (mediaDir !== null) await giveToServiceUser(mediaDir);
}

/**
 * Changes the owner of a file or folder, and of everything in it, to the owner of the innermost folder around it that
 * root does not own. Without such a folder, the service runs as root, and nothing changes. A file system that refuses the
 * change does not stop the restore.
 */
async function giveToServiceUser(path: string): Promise<void> {
  const found = await stat(path).catch(nullIfMissing);
  const owner = await findServiceUser(path);
  if (!found || !owner) return;
  try {
    await chown(path, owner.uid, owner.gid);
    for (const name of found.isDirectory() ? await readdir(path, { recursive: true }) : [])
      await lchown(join(path, name), owner.uid, owner.gid);
  } catch (error) {
    console.error(
      `Could not change the owner of ${path}: run \`chown -R ${owner.uid}:${owner.gid} ${path}\``,
      error,
    );
  }
}

async function findServiceUser(path: string): Promise<{ uid: number; gid: number } | null> {
  const found = await stat(path).catch(nullIfMissing);
  if (found && found.uid !== 0) return found;
  return dirname(path) === path ? null : findServiceUser(dirname(path));
}

/** Backups of earlier versions contain every file of the directory; those without a media key are skipped. */
const mediaOf = ({ archive }: Backup): Entry[] =>
  archive.entries.filter((entry) => {
    const key = keyOf(entry);
    return entry.path.startsWith(paths.media) && (isMediaKey(key) || key === storeIdKey);
  });

const keyOf = ({ path }: Entry) => path.slice(paths.media.length);

/** Returns the SHA-256 of a stored object, in hexadecimal digits; null if it is missing. */
export async function hashOf(media: ObjectStore, key: string): Promise<string | null> {
  const content = await media.get(key);
  if (!content) return null;
  const hash = createHash('sha256');
  await pipeline(content, hash);
  return hash.digest('hex');
}

/** Lists the files in a directory with media keys; none if the directory is missing. */
async function ownFilesOf(mediaDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const site of await namesIn(mediaDir))
    for (const id of isMediaKey(`${site}/id/original`) ? await namesIn(join(mediaDir, site)) : [])
      for (const name of isMediaKey(`${site}/${id}/original`) ? await namesIn(join(mediaDir, site, id)) : [])
        if (isMediaKey(`${site}/${id}/${name}`)) found.push(`${site}/${id}/${name}`);
  return found;
}

/** Lists a directory. Empty for a missing or unreadable directory, which the service did not create. */
const namesIn = (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(error.code ?? '')) return [];
    throw error;
  });
