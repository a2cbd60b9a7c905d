import { type RawBuilder, sql } from 'kysely';
import { type Fields, unsetValues } from '../../contract/fields.ts';
import { allResources, contentCollections } from '../../contract/resources/index.ts';
import { locks } from '../../db/advisory-lock.ts';
import type { Transaction } from '../../db/config.ts';
import { columnsOf } from '../../db/entities/content.ts';
import { deleteRevisions } from '../history.ts';
import { jsonOf, names } from '../records.ts';

/** Record whose parts are deleted and restored together with it. */
interface ParentTable {
  siteId: string;
  collection: string;
  id: string;
}

/** Maximum number of records per statement. Each of them, and each of its revisions, can contain half a megabyte. */
export const atOnce = 25;

interface Parts {
  collection: string;
  /** SQL condition that selects the parts. */
  where: RawBuilder<unknown>;
}

export const hasParts = (collection: string) =>
  Object.values(allResources).some(({ partOf }) => partOf?.collection === collection);

/** Returns the parts of records, including nested ones. `ids` is SQL for the IDs of the records. */
function partsOf(collection: string, siteId: string, ids: RawBuilder<unknown>): Parts[] {
  return Object.values(allResources).flatMap(({ collection: name, partOf }) => {
    if (partOf?.collection !== collection) return [];
    const where = sql`site_id = ${siteId} and ${sql.ref(partOf.by)} in (${ids})`;
    const inner = partsOf(name, siteId, sql`select id from ${sql.table(name)} where ${where}`);
    return [{ collection: name, where }, ...inner];
  });
}

/**
 * Moves the parts of a locked record to the trash, before the record itself. Parts are the modules and lessons of a course.
 * Other records have none.
 */
export async function trashParts(em: Transaction, whole: ParentTable): Promise<void> {
  const { siteId, id } = whole;
  const parts = partsOf(whole.collection, siteId, sql`${id}`);
  if (parts.length === 0) return;
  // An earlier deletion of the same record may have left parts in the trash, if the record was imported since. They must
  // not be restored with the new ones.
  await lockTrash(em, siteId);
  await purgeParts(em, wholesOf([{ site_id: siteId, collection: whole.collection, id }]));
  const locked: { collection: string; ids: string[] }[] = [];
  // Locked records get no new parts. Every transaction locks several records in the order of their IDs, so none
  // deadlocks.
  for (const { collection, where } of parts) {
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(collection)} where ${where} order by id for update`.execute(em.getKysely());
    locked.push({ collection, ids: rows.map((row) => row.id) });
  }
  // Delete inner parts first, because deleting a record also deletes its parts.
  for (const { collection, ids } of locked.toReversed()) {
    const columns = columnsOf(collection);
    const content = sql.raw(columns.includes('content') ? 'content' : 'null::text');
    const record = jsonOf(columns.filter((column) => column !== 'id' && column !== 'content'));
    for (let from = 0; from < ids.length; from += atOnce) {
      await sql`
        with gone as (
          delete from ${sql.table(collection)} where site_id = ${siteId} and id = any(${ids.slice(from, from + atOnce)})
          returning id, ${record} as record, ${content} as content
        )
        insert into trash_parts (site_id, collection, id, whole_collection, whole_id, record, content)
        select ${siteId}, ${collection}, id, ${whole.collection}, ${id}, record, content from gone`.execute(
        em.getKysely(),
      );
    }
  }
}

/**
 * Locks the trash of a site against other purges until the transaction ends. If two transactions purge copies of one
 * record, the later one must see that it purges the last copy, and delete the revisions.
 */
export const lockTrash = async (em: Transaction, siteId: string) =>
  void (await sql`select pg_advisory_xact_lock(${locks.trash}::integer, hashtext(${siteId}))`.execute(
    em.getKysely(),
  ));

const restored = {
  source: sql`from taken`,
  record: sql`taken.record || jsonb_build_object('id', taken.id)`,
  content: sql`taken.content`,
};

/** Restores the parts of a record that was restored, such as the modules and lessons of a course. */
export async function restoreParts(em: Transaction, { siteId, collection, id }: ParentTable): Promise<void> {
  for (const { collection: part } of partsOf(collection, siteId, sql`${id}`)) {
    await untilFewer(atOnce, async () => {
      const { rows } = await sql`
        with taken as (
          delete from trash_parts where ctid in (
            select ctid from trash_parts
            where site_id = ${siteId} and whole_collection = ${collection} and whole_id = ${id} and collection = ${part}
            limit ${atOnce})
          returning id, record, content
        )
        ${storedFrom(part, restored)} returning id`.execute(em.getKysely());
      return rows.length;
    });
  }
}

interface Row {
  site_id: string;
  collection: string;
  id: string;
}

/** SQL: these records as a table `wholes` with the columns `site`, `collection` and `id`. */
export function wholesOf(rows: readonly Row[]): RawBuilder<unknown> {
  const values = (column: keyof Row) => sql`${rows.map((row) => row[column])}::text[]`;
  return sql`unnest(${values('site_id')}, ${values('collection')}, ${values('id')}) as wholes (site, collection, id)`;
}

/**
 * SQL condition: a record of `gone`, which was in the trash, also exists in its collection, because it was imported
 * since.
 */
const isInPlace = sql`case gone.collection ${sql.join(
  contentCollections.map(
    (name) =>
      sql`when ${sql.lit(name)} then exists (select from ${sql.table(name)} c where c.site_id = gone.site_id and c.id = gone.id)`,
  ),
  sql` `,
)} end`;

const isSame = (table: string) =>
  sql`(${names(['site_id', 'collection', 'id'].map((column) => `${table}.${column}`))}) = (gone.site_id, gone.collection, gone.id)`;

const isPart = sql`exists (select from trash_parts p where ${isSame('p')})`;

const isElsewhereInTrash = sql`(
  exists (select from trash t where ${isSame('t')})
  or exists (
    select from trash_parts p where ${isSame('p')} and not exists (
      select from gone g where (g.site_id, g.collection, g.id, g.whole_collection, g.whole_id)
        = (p.site_id, p.collection, p.id, p.whole_collection, p.whole_id))))`;

/**
 * SQL that deletes the revisions of purged records, the rows of `gone`, unless the record exists elsewhere. After an
 * import it may exist in its collection, and in the trash both by itself and as a part.
 */
const forgetUnless = (isElsewhere: RawBuilder<unknown>) =>
  deleteRevisions('gone', sql`not ${isInPlace} and not ${isElsewhere}`);

/** SQL that deletes the revisions of purged records that were in the trash by themselves. */
export const forgetGone = forgetUnless(isPart);

/** Purges the parts of records with their revisions. `wholes` is SQL of `wholesOf`. */
export const purgeParts = (em: Transaction, wholes: RawBuilder<unknown>): Promise<void> =>
  untilFewer(atOnce, async () => {
    const { rows } = await sql<{ purged: number }>`
      with gone as (
        delete from trash_parts where ctid in (
          select p.ctid from ${wholes}
          join trash_parts p on p.site_id = wholes.site and p.whole_collection = wholes.collection and p.whole_id = wholes.id
          limit ${atOnce})
        returning site_id, collection, id, whole_collection, whole_id
      ),
      forgotten as (${forgetUnless(isElsewhereInTrash)})
      select count(*) as purged from gone`.execute(em.getKysely());
    return rows[0]?.purged ?? 0;
  });

async function untilFewer(than: number, work: () => Promise<number>) {
  while ((await work()) >= than);
}

/**
 * SQL that inserts records from JSON, up to its `where`. Fields that are newer than the JSON are unset. `content` is
 * SQL for that column if the JSON does not contain it.
 */
export function storedFrom(
  collection: string,
  {
    source,
    record,
    content,
  }: Record<'source' | 'record', RawBuilder<unknown>> & { content?: RawBuilder<unknown> },
) {
  const columns = columnsOf(collection);
  const values = columns.map((column) => {
    const value = sql.ref(`r.${column}`);
    return content && column === 'content' ? sql`coalesce(${content}, ${value})` : value;
  });
  const unset = JSON.stringify(unsetValues(resourceOf(collection).fields));
  return sql`
    insert into ${sql.table(collection)} (${names(columns)})
    select ${sql.join(values)} ${source},
      jsonb_populate_record(null::${sql.table(collection)}, ${unset}::jsonb || (${record})) as r`;
}

function resourceOf(collection: string): { fields: Fields } {
  const resource = Object.values(allResources).find((item) => item.collection === collection);
  if (!resource) throw new Error(`no collection is named ${collection}`);
  return resource;
}
