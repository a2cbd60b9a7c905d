import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { IsolationLevel } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction } from '../../../../shared/db/config.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { StoreDeps } from '../../../kernel/deps.ts';
import { carried, profileColumns, siteColumns } from './carried.ts';
import type { Carried } from './carried-row.ts';
import type { ArchivedFile, ArchiveManifest } from './manifest.ts';
import { type ArchivedMediaFile, listMediaFiles } from './media-files.ts';
import { readRows, readSettings } from './read-rows.ts';

/** Says how far something is: of `name`, so many records. */
export type OnProgress = (name: string, records: number) => void;

/** A file that waits on disk to be packed. */
export interface StagedFile extends ArchivedFile {
  handle: FileHandle;
}

/** A batch of rows is read in milliseconds; a statement that takes this long has met something that is wrong. */
const statementMs = 60_000;

/**
 * All of a site as it is at one moment, whatever is written meanwhile, in files that `open` gives: the transaction lasts as
 * long as the disk takes, not as whoever the archive is sent to. Throws `not_found`.
 */
export const takeSnapshot = (
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  { open, onProgress }: { open: () => Promise<FileHandle>; onProgress: OnProgress },
): Promise<{
  settings: Pick<ArchiveManifest, 'site' | 'profile'>;
  files: StagedFile[];
  media: ArchivedMediaFile[];
}> =>
  database.em.fork().transactional(
    async (em) => {
      await sql`select set_config('statement_timeout', ${`${statementMs}`}, true)`.execute(em.getKysely());
      const settings = await settingsOf(em, siteId);
      const files: StagedFile[] = [];
      for (const each of carried) {
        const handle = await open();
        files.push(await stage(em, { carried: each, siteId, handle }, onProgress));
      }
      return { settings, files, media: await listMediaFiles(em, siteId) };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );

async function settingsOf(em: Transaction, siteId: string) {
  const site = await readSettings(em, { table: 'sites', by: 'id', columns: siteColumns }, siteId);
  const profile = await readSettings(
    em,
    { table: 'profiles', by: 'site_id', columns: profileColumns },
    siteId,
  );
  if (!site || !profile) throw new ApiError('not_found');
  return { site, profile };
}

async function stage(
  em: Transaction,
  { carried, siteId, handle }: { carried: Carried; siteId: string; handle: FileHandle },
  onProgress: OnProgress,
): Promise<StagedFile> {
  const hash = createHash('sha256');
  let [records, bytes] = [0, 0];
  for await (const lines of readRows(em, carried, siteId)) {
    const chunk = Buffer.from(`${lines.join('\n')}\n`);
    hash.update(chunk);
    records += lines.length;
    bytes += chunk.length;
    await handle.writeFile(chunk);
    onProgress(carried.name, records);
  }
  return { name: `${carried.name}.jsonl`, records, bytes, sha256: hash.digest('hex'), handle };
}
