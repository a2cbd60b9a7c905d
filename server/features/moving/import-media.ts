import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { media as limits } from '../../../shared/contract/limits.ts';
import { type PlanName, plans } from '../../../shared/contract/plans.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { originalKey } from '../../../shared/media/store.ts';
import { ApiError, found } from '../../kernel/api-error.ts';
import type { ArchivedFile, Manifest } from './manifest.ts';
import { mediaFolder, mediaIdOf } from './media-files.ts';
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

/**
 * Refuses an archive whose files the plan of the site does not take, or has no room for. The same bytes count once, and
 * those that the site has not at all. Throws `payload_too_large`, `media_full`.
 */
export async function requireRoom({ deps, siteId }: Target, { files }: Manifest): Promise<void> {
  const media = new Map(files.filter(({ name }) => mediaIdOf(name)).map((file) => [file.sha256, file]));
  const { rows } = await sql<{ plan: PlanName; used: number; present: string[] }>`
    select plan, (select coalesce(sum(size), 0)::float8 from media where site_id = sites.id) as used,
      array(select sha256 from media where site_id = sites.id and sha256 = any(${[...media.keys()]}::text[])) as present
    from sites where id = ${siteId}`.execute(deps.database.em.getKysely());
  const { plan, used, present } = found(rows[0]);
  for (const sha256 of present) media.delete(sha256);
  const { file: mostOfOne, all } = plans[plan].media;
  let needed = 0;
  for (const { name, bytes } of media.values()) {
    needed += bytes;
    if (bytes > mostOfOne)
      throw new ApiError(
        'payload_too_large',
        `${name}: the file is too large: the site's plan takes files of up to ${mostOfOne / 1e6} MB`,
      );
  }
  if (used + needed > all)
    throw new ApiError(
      'media_full',
      `the archive has ${megabytes(needed)} of media more than the site, whose plan has room for ${megabytes(Math.max(0, all - used))}`,
    );
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

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
