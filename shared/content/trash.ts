import { type RawBuilder, sql } from 'kysely';
import { type Fields, unsetValues } from '../contract/fields.ts';
import { titleFieldOf } from '../contract/resource.ts';
import { allResources, type ContentCollection } from '../contract/resources/index.ts';
import type { Transaction } from '../db/config.ts';
import { columnsOf } from '../db/entities/content.ts';
import { contentEvents } from './events.ts';
import { jsonOf, type LockedRecord, names } from './records.ts';
import { type ContentWriter, carryOut } from './write.ts';

/** Records that are deleted and restored along with another. */
interface Part {
  collection: string;
  /** SQL that says which they are. */
  where: RawBuilder<unknown>;
}

/** The parts of records, and theirs; `ids` is SQL of the ids of the former. */
function partsOf(collection: string, siteId: string, ids: RawBuilder<unknown>): Part[] {
  return Object.values(allResources).flatMap(({ collection: name, partOf }) => {
    if (partOf?.collection !== collection) return [];
    const where = sql`site_id = ${siteId} and ${sql.ref(partOf.by)} in (${ids})`;
    const inner = partsOf(name, siteId, sql`select id from ${sql.table(name)} where ${where}`);
    return [{ collection: name, where }, ...inner];
  });
}

/** Moves a locked record to the trash, with its parts. Its history stays. */
export async function moveToTrash(
  em: Transaction,
  writer: ContentWriter,
  record: LockedRecord,
): Promise<void> {
  const { siteId, collection, actor, deps } = writer;
  const { id } = record;
  const at = deps.clock.now();
  const parts = partsOf(collection, siteId, sql`${id}`);
  // Nobody adds to what is locked; and as all who lock several do it in the order of ids, nobody waits in a circle.
  for (const { collection, where } of parts)
    await sql`select from ${sql.table(collection)} where ${where} order by id for update`.execute(
      em.getKysely(),
    );
  const deleted = parts.map(
    ({ collection, where }) => sql`${sql.ref(`deleted_${collection}`)} as (
      delete from ${sql.table(collection)} where ${where} returning ${jsonOf(columnsOf(collection))} as record)`,
  );
  const listed = parts.map(
    ({
      collection,
    }) => sql`select jsonb_build_object('collection', ${sql.lit(collection)}, 'record', record) as part
      from ${sql.ref(`deleted_${collection}`)}`,
  );
  const all =
    listed.length === 0
      ? sql`'[]'::jsonb`
      : sql`(
    select coalesce(jsonb_agg(part), '[]') from (${sql.join(listed, sql` union all `)}) as listed)`;
  await carryOut(em, writer, {
    statement: sql`
      delete from ${sql.table(collection)} where site_id = ${siteId} and id = ${id}
      returning ${jsonOf(columnsOf(collection))} as record`,
    id,
    at,
    events: contentEvents(collection, record, 'content.deleted'),
    parts: [
      ...deleted,
      sql`binned as (
        insert into trash (site_id, collection, id, title, deleted, actor, record, parts)
        select ${siteId}, ${collection}, ${id}, record ->> ${titleFieldOf(resourceOf(collection))}::text, ${at}::timestamptz,
          ${JSON.stringify(actor)}::jsonb, record, ${all} from written)`,
    ],
    prepared: true,
  });
}

function resourceOf(collection: string): { fields: Fields } {
  const resource = Object.values(allResources).find((known) => known.collection === collection);
  if (!resource) throw new Error(`there is no collection ${collection}`);
  return resource;
}

/** A locked record of the trash, as far as its way back depends on it. */
export interface TrashedRow {
  id: string;
  revision: number;
  title: string | null;
  slug: string | null;
  is_draft: boolean | null;
  publish_at: string | null;
  /** Of what it is a part of. */
  whole: string | null;
}

/** A record in the trash, locked; null when there is none, or none deleted after `since`. */
export async function lockTrashed(
  em: Transaction,
  {
    siteId,
    collection,
    id,
    since,
  }: { siteId: string; collection: ContentCollection; id: string; since: Date },
) {
  const { partOf } = allResources[collection];
  const { rows } = await sql<TrashedRow>`
    select id, (record ->> 'revision')::integer as revision, record ->> 'title' as title, record ->> 'slug' as slug,
      (record ->> 'is_draft')::boolean as is_draft, record ->> 'publish_at' as publish_at, record ->> ${partOf?.by ?? ''}::text as whole
    from trash where site_id = ${siteId} and collection = ${collection} and id = ${id} and deleted > ${since}
    for update`.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Puts a locked record of the trash back, with its parts, as its next revision and under `slug` if it has one. */
export async function putBack(
  em: Transaction,
  writer: ContentWriter,
  trashed: TrashedRow,
  slug: string | null,
): Promise<number> {
  const { siteId, collection, deps } = writer;
  const { id } = trashed;
  const at = deps.clock.now();
  const revision = trashed.revision + 1;
  const own = sql`t.site_id = ${siteId} and t.collection = ${collection} and t.id = ${id}`;
  // Its moment may have passed in the trash: whoever brings a draft back does not mean to publish it.
  const changes = { updated: at, revision, publish_at: null, ...(slug !== null && { slug }) };
  const changed = [
    ...(slug === trashed.slug ? [] : ['slug']),
    ...(trashed.publish_at === null ? [] : ['publish_at']),
  ];
  const before = ['updated', ...changed].map((name) => sql`${sql.lit(name)}, t.record -> ${sql.lit(name)}`);
  await carryOut(em, writer, {
    statement: sql`${insertFrom(collection, sql`from trash t`, sql`t.record || ${JSON.stringify(changes)}::jsonb`)}
      where ${own} returning id`,
    id,
    at,
    events: contentEvents(collection, { ...trashed, slug }, 'content.created'),
    revision: {
      number: revision,
      changed,
      previous: sql`(select jsonb_build_object(${sql.join(before)}) from trash t where ${own})`,
    },
    parts: [
      ...partsOf(collection, siteId, sql`${id}`).map(({ collection: part }) => {
        const source = sql`from trash t, jsonb_array_elements(t.parts) as listed (part)`;
        return sql`${sql.ref(`restored_${part}`)} as (
          ${insertFrom(part, source, sql`listed.part -> 'record'`)}
          where ${own} and listed.part ->> 'collection' = ${part})`;
      }),
      sql`emptied as (delete from trash t where ${own})`,
    ],
  });
  return revision;
}

/** SQL that stores records again that are kept as JSON. Fields that are newer than these are unset. */
function insertFrom(collection: string, source: RawBuilder<unknown>, record: RawBuilder<unknown>) {
  const columns = columnsOf(collection);
  const unset = JSON.stringify(unsetValues(resourceOf(collection).fields));
  return sql`
    insert into ${sql.table(collection)} (${names(columns)})
    select ${names(columns.map((column) => `r.${column}`))} ${source},
      jsonb_populate_record(null::${sql.table(collection)}, ${unset}::jsonb || (${record})) as r`;
}

/** Removes records of the trash for good, at most `most`, with their history; gives how many there were. */
export async function purge(
  em: Transaction,
  { where, most }: { where: RawBuilder<unknown>; most: number },
): Promise<number> {
  const { rows } = await sql<{ purged: number }>`
    with purged as (
      delete from trash where ctid in (select ctid from trash where ${where} limit ${most} for update skip locked)
      returning site_id, collection, id, parts
    ),
    records as (
      select site_id, collection, id from purged
      union all select site_id, part ->> 'collection', part -> 'record' ->> 'id' from purged, jsonb_array_elements(parts) as part
    ),
    forgotten as (
      delete from record_revisions r using records
      where r.site_id = records.site_id and r.collection = records.collection and r.record_id = records.id
    )
    select count(*) as purged from purged`.execute(em.getKysely());
  return rows[0]?.purged ?? 0;
}
