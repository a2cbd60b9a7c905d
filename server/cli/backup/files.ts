import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepSecret, readSecret } from '../../start/kept-secret.ts';
import type { Entry } from './archive-reader.ts';
import { paths } from './contents.ts';
import { filesOf, mediaPath, writeMedia } from './media-files.ts';
import type { Backup } from './open-backup.ts';

/** Where an installation keeps what is not in its database. */
export interface Places {
  secretFile: string;
  /** Null when media are not on this machine. */
  mediaDir: string | null;
}

/** @param mediaUrl a directory as `file:`, or where else media are; below `dataDir` without one */
export const placesOf = (dataDir: string, mediaUrl: string | undefined): Places => ({
  secretFile: join(dataDir, 'secret-key'),
  mediaDir: mediaDirOf(dataDir, mediaUrl),
});

function mediaDirOf(dataDir: string, mediaUrl: string | undefined): string | null {
  if (mediaUrl === undefined) return join(dataDir, 'media');
  return mediaUrl.startsWith('file:') ? fileURLToPath(mediaUrl) : null;
}

/**
 * Throws unless the files of a backup can be put in place: there are none yet, or some of the very same, as a restore that
 * was stopped leaves them.
 */
export async function refuseOtherFiles(
  backup: Backup,
  { secretFile, mediaDir }: Places,
  givenKey: string | undefined,
): Promise<void> {
  const { secretKey } = backup;
  const other = 'another secret key than that of the backup, which its secrets do not open with';
  const kept = await readSecret(secretFile);
  if (secretKey !== null && givenKey !== undefined && givenKey !== secretKey)
    throw new Error(`SECRET_KEY is ${other}: leave it out, or set that one.`);
  if (secretKey !== null && kept !== null && kept !== secretKey)
    throw new Error(`${secretFile} holds ${other}.`);
  if (mediaDir === null) return;
  const wanted = new Map(mediaOf(backup).map(({ path, sha256 }) => [mediaPath(path), sha256]));
  for await (const path of filesOf(mediaDir)) {
    const sum = createHash('sha256').update(await readFile(join(mediaDir, path)));
    if (wanted.get(path) !== sum.digest('hex'))
      throw new Error(
        `${mediaDir} holds other files than the backup, such as ${path}: restore into an empty one.`,
      );
  }
}

/** Puts them in place. Stopped at any moment, this leaves nothing that `refuseOtherFiles` would mind. */
export async function placeFiles(backup: Backup, { secretFile, mediaDir }: Places): Promise<void> {
  if (backup.secretKey !== null) {
    await keepSecret(secretFile, backup.secretKey);
    await flushDirectory(dirname(secretFile));
  }
  if (mediaDir === null) return;
  const there = new Set(await Array.fromAsync(filesOf(mediaDir)));
  for (const entry of mediaOf(backup)) {
    if (!there.has(mediaPath(entry.path))) await writeMedia(mediaDir, entry);
  }
}

const mediaOf = ({ archive }: Backup): Entry[] =>
  archive.entries.filter(({ path }) => path.startsWith(paths.media));

/** Makes the names in a directory last through a loss of power. */
async function flushDirectory(path: string) {
  await using directory = await open(path);
  await directory.sync();
}
