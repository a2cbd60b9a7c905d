import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { keysOf, type MediaId, originalKey } from '../../../shared/media/store.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { type Lacking, paths } from './contents.ts';

/** What the database knows of a file's bytes. */
interface KnownFile extends MediaId {
  size: number;
  sha256: string;
  widths: number[];
}

/** The media that a database names; none of one that is of before there were any. */
export async function listKnownMedia(client: pg.ClientBase): Promise<KnownFile[]> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    "select to_regclass('media') is not null as exists",
  );
  if (!tables[0]?.exists) return [];
  const { rows } = await client.query<KnownFile>(
    'select site_id, id, size::float8 as size, sha256, widths from media order by site_id, id',
  );
  return rows;
}

/**
 * Adds the media that the database names, and nothing else of the directory; tells what of them is missing, or is not what
 * came once. Throws when all of them are missing: then it is the directory that is.
 */
export async function addMedia(
  archive: ArchiveWriter,
  mediaDir: string,
  known: readonly KnownFile[],
): Promise<Lacking[]> {
  const lacking: Lacking[] = [];
  for (const file of known)
    for (const key of keysOf(file, file.widths)) {
      const why = await addFile(archive, join(mediaDir, key), { key, file });
      if (why) lacking.push({ key, why });
    }
  const originals = lacking.filter(({ key, why }) => why === 'missing' && key.endsWith('/original'));
  if (known.length > 0 && originals.length === known.length)
    throw new Error(
      `${mediaDir} has none of the ${known.length} files of media that the database names: is it the right directory, and mounted?`,
    );
  return lacking;
}

async function addFile(
  archive: ArchiveWriter,
  path: string,
  { key, file }: { key: string; file: KnownFile },
): Promise<Lacking['why'] | null> {
  await using handle = await open(path).catch(nullIfMissing);
  if (!handle) return 'missing';
  const { sha256 } = await archive.addFile(`${paths.media}${key}`, handle);
  return key === originalKey(file) && sha256 !== file.sha256 ? 'damaged' : null;
}

function nullIfMissing(error: NodeJS.ErrnoException): FileHandle | null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Of what is missing, that which the database still names: what was deleted since the backup began needs no bytes. */
export async function stillNamed(client: pg.ClientBase, lacking: readonly Lacking[]): Promise<Lacking[]> {
  if (lacking.length === 0) return [];
  const now = new Set((await listKnownMedia(client)).flatMap((file) => keysOf(file, file.widths)));
  return lacking.filter(({ key }) => now.has(key));
}
