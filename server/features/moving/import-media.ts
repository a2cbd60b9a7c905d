import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { media as limits } from '../../../shared/contract/limits.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { originalKey } from '../../../shared/media/store.ts';
import type { ArchivedFile, Manifest } from './manifest.ts';
import { mediaFolder } from './media-files.ts';
import type { Candidate, Target } from './target.ts';

/** Keeps the bytes of a file, unless they are there. Its row follows: none is ever without them. */
export async function keepMedia(
  { deps, siteId, dryRun }: Target,
  id: string,
  { content, bytes }: { content: AsyncIterable<Buffer>; bytes: number },
) {
  const { rows } = await sql`select from media where site_id = ${siteId} and id = ${id}`.execute(
    deps.database.em.getKysely(),
  );
  if (dryRun || rows.length > 0) for await (const _ of content);
  else await deps.media.put(originalKey({ site_id: siteId, id }), Readable.from(content), bytes);
}

/** A row of media whose bytes the archive has not, as it tells of them, is not taken. */
export function withBytes({ files }: Manifest): (candidate: Candidate) => Candidate {
  const known = new Map<string, ArchivedFile>(files.map((file) => [file.name, file]));
  return (candidate) => {
    const file = known.get(`${mediaFolder}${candidate.row?.id}`);
    const isThere = file && file.bytes === candidate.row?.size && file.sha256 === candidate.row?.sha256;
    return isThere ? candidate : { ...candidate, row: null, reason: 'its bytes are not in the archive' };
  };
}

/** Has the worker make the smaller sizes of images. */
export async function askForSizes(em: Transaction, { siteId, deps }: Target, ids: readonly string[]) {
  await sql`
    insert into media_to_size (site_id, id, due_at, tries)
    select site_id, id, ${deps.clock.now()}::timestamptz, 0 from media
    where site_id = ${siteId} and id = any(${ids}::text[]) and width > ${limits.widths[0]}
    on conflict do nothing`.execute(em.getKysely());
}
