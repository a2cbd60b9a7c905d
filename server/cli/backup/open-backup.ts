import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { baseline, replaced } from '../../../shared/db/migrations/index.ts';
import { type Archive, DamagedArchiveError, openArchive } from './archive-reader.ts';
import { BackupManifest, paths, tableOf } from './contents.ts';

export interface Backup extends AsyncDisposable {
  manifest: BackupManifest;
  secretKey: string | null;
  archive: Archive;
}

/**
 * Opens a backup after checking every byte. `secretKey` is null if the backup has none. Throws `DamagedArchiveError`,
 * or an error for a later format.
 */
export async function openBackup(path: string): Promise<Backup> {
  const archive = await openArchive(path);
  try {
    const manifest = readManifest(await textOf(archive, paths.manifest));
    const secretKey = manifest.secret_key ? (await textOf(archive, paths.secretKey)).trim() : null;
    const known = new Set(manifest.tables.map(({ name }) => name));
    for (const { path: entry } of archive.entries) {
      const table = tableOf(entry);
      if (table !== null && !known.has(table))
        throw new DamagedArchiveError(`the backup is damaged: ${entry} belongs to no table`);
    }
    return { manifest, secretKey, archive, [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose]() };
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

function readManifest(text: string): BackupManifest {
  const said: unknown = JSON.parse(text);
  const { data: about } = AnyManifest.safeParse(said);
  if (about && about.format > BackupManifest.shape.format.value)
    throw new Error(
      'The backup was written by a newer version of this service: restore it with that version.',
    );
  const result = BackupManifest.safeParse(said);
  if (!result.success)
    throw new DamagedArchiveError(
      `the backup is damaged: invalid manifest: ${z.prettifyError(result.error)}`,
    );
  return inBaseline(result.data);
}

/** Replaces the migrations of an earlier version by the baseline, which has the same tables. */
function inBaseline(manifest: BackupManifest): BackupManifest {
  if (!manifest.migrations.includes(replaced.last)) return manifest;
  return { ...manifest, migrations: baseline.map(({ name }) => name) };
}

const AnyManifest = z.looseObject({ format: z.number() });

async function textOf({ entries }: Archive, path: string): Promise<string> {
  const entry = entries.find((candidate) => candidate.path === path);
  if (!entry) throw new DamagedArchiveError(`the backup is damaged: ${path} is missing`);
  return text(entry.content());
}
