import { type RawBuilder, sql } from 'kysely';
import { titleFieldOf } from '../../contract/resource.ts';
import { allResources, type ContentCollection } from '../../contract/resources/index.ts';
import type { Transaction } from '../../db/config.ts';
import { columnsOf } from '../../db/entities/content.ts';
import { jsonOf, type LockedRecord } from '../records.ts';
import { type ContentWriter, carryOut, contentEvents } from '../write.ts';
import {
  atOnce,
  forgetGone,
  hasParts,
  lockTrash,
  purgeParts,
  restoreParts,
  storedFrom,
  trashParts,
  wholesOf,
} from './parts.ts';

/**
 * Moves a locked record to the trash with its parts, and keeps its revisions. If the record was deleted before and
 * imported since, it replaces its older version in the trash.
 */
export async function moveToTrash(
  em: Transaction,
  writer: ContentWriter,
  record: LockedRecord,
): Promise<void> {
  const { deps, siteId, resource, actor } = writer;
  const { collection } = resource;
  const { id } = record;
  const at = deps.clock.now();
  await trashParts(em, { siteId, collection, id });
  await carryOut(em, writer, {
    statement: sql`
      delete from ${sql.table(collection)} where site_id = ${siteId} and id = ${id}
      returning ${jsonOf(columnsOf(collection))} as record`,
    id,
    at,
    events: contentEvents(collection, record, 'content.deleted'),
    parts: [
      sql`binned as (
        insert into trash (site_id, collection, id, title, deleted, actor, record)
        select ${siteId}, ${collection}, ${id}, record ->> ${titleFieldOf(resource)}::text, ${at}::timestamptz,
          ${JSON.stringify(actor)}::jsonb, record from written
        on conflict (site_id, collection, id) do update
        set title = excluded.title, deleted = excluded.deleted, actor = excluded.actor, record = excluded.record)`,
    ],
    prepared: true,
  });
}

/** Locked record of the trash, with the fields that a restore needs. */
export interface TrashedRow {
  id: string;
  revision: number;
  title: string | null;
  slug: string | null;
  is_draft: boolean | null;
  publish_at: string | null;
  created_by: string | null;
  /** ID of the record that it belongs to, such as the course of a module; null if its collection is part of no other. */
  whole: string | null;
}

/** Locks a record in the trash and returns it; null if it does not exist or was deleted before `since`. */
export async function lockTrashed(
  em: Transaction,
  {
    siteId,
    collection,
    id,
    since,
  }: { siteId: string; collection: ContentCollection; id: string; since: RawBuilder<Date> },
) {
  const { partOf } = allResources[collection];
  const { rows } = await sql<TrashedRow>`
    select id, (record ->> 'revision')::integer as revision, record ->> 'title' as title, record ->> 'slug' as slug,
      (record ->> 'is_draft')::boolean as is_draft, record ->> 'publish_at' as publish_at, record ->> 'created_by' as created_by, record ->> ${partOf?.by ?? ''}::text as whole
    from trash where site_id = ${siteId} and collection = ${collection} and id = ${id} and deleted > ${since}
    for update`.execute(em.getKysely());
  return rows[0] ?? null;
}

/**
 * Restores a locked record from the trash with its parts, as its next revision, with the given slug. Returns the
 * number of this revision.
 */
export async function putBack(
  em: Transaction,
  writer: ContentWriter,
  { trashed, slug }: { trashed: TrashedRow; slug: string | null },
): Promise<number> {
  const {
    deps,
    siteId,
    resource: { collection },
  } = writer;
  const { id } = trashed;
  const at = deps.clock.now();
  const revision = trashed.revision + 1;
  const own = sql`t.site_id = ${siteId} and t.collection = ${collection} and t.id = ${id}`;
  // A restored record loses its publication time. The time may have passed in the trash, and would publish the draft
  // immediately.
  const changes = { updated: at, revision, publish_at: null, ...(slug !== null && { slug }) };
  const changed = [
    ...(slug === trashed.slug ? [] : ['slug']),
    ...(trashed.publish_at === null ? [] : ['publish_at']),
  ];
  const before = ['updated', ...changed].map((name) => sql`${sql.lit(name)}, t.record -> ${sql.lit(name)}`);
  await carryOut(em, writer, {
    statement: sql`${storedFrom(collection, { source: sql`from trash t`, record: sql`t.record || ${JSON.stringify(changes)}::jsonb` })}
      where ${own} returning id`,
    id,
    at,
    events: contentEvents(collection, { ...trashed, slug }, 'content.created'),
    revision: {
      number: revision,
      changed,
      previous: sql`(select jsonb_build_object(${sql.join(before)}) from trash t where ${own})`,
    },
    parts: [sql`emptied as (delete from trash t where ${own})`],
  });
  await restoreParts(em, { siteId, collection, id });
  return revision;
}

/**
 * Purges a few records from the trash, with their revisions and parts. Returns their number, 0 if there are no more.
 */
export async function purge(
  em: Transaction,
  { siteId, where }: { siteId: string; where: RawBuilder<unknown> },
): Promise<number> {
  await lockTrash(em, siteId);
  const { rows } = await sql<{ site_id: string; collection: string; id: string }>`
    select site_id, collection, id from trash
    where site_id = ${siteId} and ${where} limit ${atOnce} for update skip locked`.execute(em.getKysely());
  // Purge records with parts one at a time, because each may have a thousand of them.
  const single = rows.filter(({ collection }) => !hasParts(collection));
  const purged = single.length > 0 ? single : rows.slice(0, 1);
  if (purged.length === 0) return 0;
  const wholes = wholesOf(purged);
  await purgeParts(em, wholes);
  await sql`
    with gone as (
      delete from trash t using ${wholes}
      where t.site_id = wholes.site and t.collection = wholes.collection and t.id = wholes.id
      returning t.site_id, t.collection, t.id
    )
    ${forgetGone}`.execute(em.getKysely());
  return purged.length;
}
