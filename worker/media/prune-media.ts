import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { type MediaStore, mediaOfKey } from '../../shared/media/store.ts';

/** A file is there before its row: one that is younger may be about to get it. */
const youngMs = 24 * 3_600_000;

/** Files whose rows are asked for together. */
const batchSize = 500;

/** Removes files that no row names, such as those of an upload that was cut off: `now` is the store's time. */
export async function pruneMedia(database: Database, media: MediaStore, now: Date): Promise<void> {
  let batch: string[] = [];
  for await (const { key, modified } of media.list()) {
    if (now.getTime() - modified.getTime() < youngMs) continue;
    batch.push(key);
    if (batch.length < batchSize) continue;
    await removeUnknown(database, media, batch);
    batch = [];
  }
  await removeUnknown(database, media, batch);
}

async function removeUnknown({ em }: Database, media: MediaStore, keys: readonly string[]) {
  const owned = keys.map((key) => ({ key, media: mediaOfKey(key) }));
  const asked = JSON.stringify(owned.flatMap(({ media }) => media ?? []));
  const { rows } = await sql<{ site_id: string; id: string }>`
    select m.site_id, m.id from media m
    join jsonb_to_recordset(${asked}::jsonb) as asked (site_id text, id text) on asked.site_id = m.site_id and asked.id = m.id`.execute(
    em.getKysely(),
  );
  const known = new Set(rows.map(({ site_id, id }) => `${site_id}/${id}`));
  for (const { key, media: named } of owned)
    if (!named || !known.has(`${named.site_id}/${named.id}`)) await media.delete(key);
}
