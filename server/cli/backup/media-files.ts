import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { readStoreId } from '../../../shared/media/identity.ts';
import {
  keysOf,
  type MediaId,
  MediaUnavailableError,
  type ObjectStore,
  originalKey,
} from '../../../shared/media/store.ts';
import { nullIfMissing } from '../../../shared/runtime/file-system.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { hasTable } from './catalog.ts';
import { type MissingFile, paths } from './contents.ts';

interface RecordedFile extends MediaId {
  size: number;
  sha256: string;
  widths: number[];
}

/** Lists the media files that a database names; empty if it is older than the table of media. */
export async function listRecordedMedia(client: pg.ClientBase): Promise<RecordedFile[]> {
  if (!(await hasTable(client, 'media'))) return [];
  const { rows } = await client.query<RecordedFile>(
    'select site_id, id, size::float8 as size, sha256, widths from media order by site_id, id',
  );
  return rows;
}

/**
 * Adds the media of the database, and no other files of the directory. Returns the missing and damaged ones. Throws
 * an `Error` if all are missing, because the directory is then probably the wrong one.
 */
export async function addMedia(
  archive: ArchiveWriter,
  mediaDir: string,
  known: readonly RecordedFile[],
): Promise<MissingFile[]> {
  const lacking: MissingFile[] = [];
  for (const file of known)
    for (const key of keysOf(file, file.widths)) {
      const why = await addFile(archive, join(mediaDir, key), { key, file });
      if (why) lacking.push({ key, why });
    }
  const originals = lacking.filter(({ key, why }) => why === 'missing' && key.endsWith('/original'));
  if (known.length > 0 && originals.length === known.length)
    throw new Error(
      `No backup was written: media store unavailable: ${mediaDir} contains none of the ${known.length} media files in the database. Check that it is the right folder and mounted.`,
    );
  return lacking;
}

async function addFile(
  archive: ArchiveWriter,
  path: string,
  { key, file }: { key: string; file: RecordedFile },
): Promise<MissingFile['why'] | null> {
  await using handle = await open(path).catch(nullIfMissing);
  if (!handle) return 'missing';
  const { sha256 } = await archive.addFile(`${paths.media}${key}`, handle);
  return key === originalKey(file) && sha256 !== file.sha256 ? 'damaged' : null;
}

/** Filters missing files to those that the database still names. Files deleted since the backup began are not needed. */
export async function stillNamed(
  client: pg.ClientBase,
  lacking: readonly MissingFile[],
): Promise<MissingFile[]> {
  if (lacking.length === 0) return [];
  const now = new Set((await listRecordedMedia(client)).flatMap((file) => keysOf(file, file.widths)));
  return lacking.filter(({ key }) => now.has(key));
}

/** Finds the id of the media store that the database uses; null if none was marked. */
export async function findStoreId(client: pg.ClientBase): Promise<string | null> {
  if (!(await hasTable(client, 'media_store'))) return null;
  const { rows } = await client.query<{ id: string }>('select id from media_store where marked');
  return rows[0]?.id ?? null;
}

/**
 * Explains why the store is not the one with this ID, or why it is unavailable. Null if it is the one, or if `id` is
 * null.
 */
export async function whyUnavailable(store: ObjectStore, id: string | null): Promise<string | null> {
  if (id === null) return null;
  try {
    return (await readStoreId(store)) === id
      ? null
      : 'the media store is not marked as the one of this installation; check that it is mounted';
  } catch (error) {
    if (error instanceof MediaUnavailableError) return error.message;
    throw error;
  }
}
