import { type RawBuilder, sql } from 'kysely';
import { preparedStatement } from '../db/client.ts';
import type { Transaction } from '../db/config.ts';
import { type ContentRow, columnsOf } from '../db/entities/content.ts';
import { insertRevisions, pruneRevisions } from './history.ts';
import { type ContentWriter, carryOut, contentEvents } from './write.ts';

type Columns = Readonly<Record<string, unknown>>;

/** Record that is locked until the transaction ends, with the columns that a write needs. */
export interface LockedRecord {
  id: string;
  revision: number;
  [column: string]: unknown;
}

type CollectionScope = Pick<ContentWriter, 'siteId' | 'resource'>;

/**
 * Inserts a record as its first revision. `unset` contains the values of fields that were not set. The slug may be
 * SQL, which is evaluated once. Throws an `Error` if the collection has no table.
 */
export async function insertRecord(
  em: Transaction,
  writer: ContentWriter,
  { row, unset }: { row: ContentRow; unset: Columns },
) {
  const { collection } = writer.resource;
  const columns = columnsOf(collection);
  const hasSlug = columns.includes('slug');
  await carryOut(em, writer, {
    statement: sql`
      insert into ${sql.table(collection)} (${names(columns)})
      values (${sql.join(columns.map((column) => row[column]))}) returning ${names(hasSlug ? ['id', 'slug'] : ['id'])}`,
    id: row.id,
    at: row.created,
    events: contentEvents(collection, row, 'content.created').map((event) => ({
      ...event,
      computed: { slug: sql<string>`written.slug` },
    })),
    revision: {
      number: row.revision,
      changed: differing(unset, row, Object.keys(unset)),
      previous: sql`'{}'::jsonb`,
    },
    prepared: true,
  });
}

/**
 * Locks a record and returns the columns that writes need, and those of `also`; null if it does not exist. Of two
 * concurrent writers, the second sees the changes of the first.
 */
export async function lockRecord(
  em: Transaction,
  { siteId, resource: { collection } }: CollectionScope,
  { id, also = [] }: { id: string; also?: readonly string[] },
) {
  const wanted = new Set([...neededOf(collection), ...also]);
  const { rows } = await sql<LockedRecord>`${also.length === 0 ? preparedStatement : sql``}
    select ${names([...wanted])} from ${sql.table(collection)}
    where site_id = ${siteId} and id = ${id} for update`.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Columns that events, slugs, publication, revisions and ownership depend on. */
const needed = [
  'id',
  'revision',
  'title',
  'slug',
  'visibility',
  'is_draft',
  'published_at',
  'publish_at',
  'created_by',
];

/**
 * Returns those of the columns in `needed` that the collection has. Throws an `Error` if the collection has no table.
 */
export function neededOf(collection: string): readonly string[] {
  const columns = columnsOf(collection);
  return needed.filter((column) => columns.includes(column));
}

/**
 * Changes columns of a locked record, as its next revision, and returns the revision. `before` must contain these
 * columns.
 */
export async function changeRecord(
  em: Transaction,
  writer: ContentWriter,
  { before, values }: { before: LockedRecord; values: Columns },
) {
  const {
    deps,
    siteId,
    resource: { collection },
  } = writer;
  const { id } = before;
  const at = deps.clock.now();
  const revision = before.revision + 1;
  const columns = Object.entries({ ...values, updated: at, revision });
  const changed = differing(before, values, Object.keys(values));
  const position = sql`site_id = ${siteId} and id = ${id}`;
  // All common table expressions of a statement see the rows as they were before it.
  const previous = sql`(select ${jsonOf(['updated', ...changed])} from ${sql.table(collection)} where ${position})`;
  await carryOut(em, writer, {
    statement: sql`
      update ${sql.table(collection)} set ${sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`))}
      where ${position} returning id`,
    id,
    at,
    events: contentEvents(collection, { ...before, ...values, id }, 'content.updated'),
    revision: { number: revision, changed, previous },
  });
  return revision;
}

/** Sets the position of locked records in the owner's order. Records that already have it are not changed. */
export async function setOrder(
  em: Transaction,
  { deps, siteId, resource: { collection }, actor }: ContentWriter,
  { ids, values }: { ids: readonly string[]; values: readonly number[] },
) {
  const at = deps.clock.now();
  await sql`
    with writes as (
      select r.site_id, ${collection}::text as collection, r.id, r.revision + 1 as revision, given.value,
        array['sort_order'] as changed, ${jsonOf(['updated', 'sort_order'], 'r')} as previous
      from unnest(${ids}::text[], ${values}::integer[]) as given (id, value)
      join ${sql.table(collection)} r on r.site_id = ${siteId} and r.id = given.id
      where r.sort_order <> given.value
    ),
    ${insertRevisions(actor, at)}, ${pruneRevisions}
    update ${sql.table(collection)} r set sort_order = writes.value, updated = ${at}, revision = writes.revision
    from writes where r.site_id = writes.site_id and r.id = writes.id`.execute(em.getKysely());
}

/**
 * Returns the time of first publication after a write at `now` that results in `row`. It is `now` if the record
 * becomes public for the first time, and null if it was never public.
 */
export const publishedAt = (row: Columns, now: Date): unknown => {
  const isReadable = row.visibility === 'public' && !row.is_draft;
  return isReadable && row.published_at === null ? now : row.published_at;
};

/** SQL expression: a JSON object with these columns of a row. */
export const jsonOf = (columns: readonly string[], table?: string): RawBuilder<unknown> => {
  const pairs = columns.map(
    (column) => sql`${sql.lit(column)}, ${sql.ref(table ? `${table}.${column}` : column)}`,
  );
  return sql`jsonb_build_object(${sql.join(pairs)})`;
};

export const names = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

const differing = (before: Columns, after: Columns, columns: readonly string[]) =>
  columns.filter((column) => !isSame(before[column], after[column]));

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, position) => value === other[position]);
  return one === other;
}
