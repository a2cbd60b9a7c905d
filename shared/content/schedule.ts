import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../contract/history.ts';
import { scheduledCollections } from '../contract/resources/index.ts';
import type { Transaction } from '../db/config.ts';
import { columnsOf } from '../db/entities/content.ts';
import { insertRevisions, pruneRevisions } from './history.ts';
import { jsonOf, type LockedRecord, names, neededOf } from './records.ts';
import { type ContentDeps, contentEvents, recordedEvents, type SiteEvent } from './write.ts';

/** Selection of drafts to publish. */
export interface DueDrafts {
  collection: string;
  /** Maximum number of drafts. */
  max: number;
  /** The only draft to publish; if missing, all due drafts. */
  only?: { siteId: string; id: string };
  /** Current time for tests; by default the database's clock. */
  now?: Date;
}

interface DueRecord extends LockedRecord {
  site_id: string;
  at: Date;
}

/**
 * Publishes drafts that are due, in the transaction of `em`, and returns their number, 0 if none is due.
 *
 * Records that another transaction has locked are skipped and published by a later call. Two schedulers therefore
 * neither publish a draft twice nor wait for each other. The database's clock decides, because all processes share
 * it.
 */
export async function publishDue(em: Transaction, deps: ContentDeps, due: DueDrafts): Promise<number> {
  const { collection } = due;
  const records = await lockDue(em, due);
  const events = records.flatMap(({ site_id: siteId, ...record }) =>
    contentEvents(collection, { ...record, is_draft: false }, 'content.updated').map(
      (event): SiteEvent => ({ siteId, ...event }),
    ),
  );
  const [first, ...more] = events;
  const recorded = first && recordedEvents(deps, { events: [first, ...more] });
  if (records.length > 0)
    await sql`
      with ${sql.join([...published(collection, records), ...(recorded ? [recorded.parts] : [])])}
      ${recorded?.wake ?? sql`select`}`.execute(em.getKysely());
  return records.length;
}

/** Locks due drafts of all sites, ordered by publication time. */
async function lockDue(em: Transaction, { collection, max, only, now }: DueDrafts): Promise<DueRecord[]> {
  const timestamp = now ? sql`${now}::timestamptz` : sql`statement_timestamp()`;
  const own = only ? sql`and site_id = ${only.siteId} and id = ${only.id}` : sql``;
  const { rows } = await sql<DueRecord>`
    select site_id, ${names(neededOf(collection))}, ${timestamp} as at
    from ${sql.table(collection)} where publish_at <= ${timestamp} ${own}
    order by publish_at limit ${max} for update skip locked`.execute(em.getKysely());
  return rows;
}

const actor: Actor = { kind: 'schedule', id: '', name: '' };

/** Builds the parts of a statement that publish locked records, each as its next revision. */
function published(collection: string, records: readonly DueRecord[]): RawBuilder<unknown>[] {
  const table = sql.table(collection);
  const at = records[0]?.at;
  const isDated = columnsOf(collection).includes('published_at');
  const dated = isDated ? sql`, published_at = coalesce(r.published_at, r.publish_at)` : sql``;
  const isFirst = isDated ? sql`r.published_at is null` : sql`false`;
  const set = ['is_draft', 'publish_at'];
  const firstSet = [...set, 'published_at'];
  const previous = (columns: string[]) => jsonOf(['updated', ...columns], 'r');
  return [
    sql`writes as (
      select r.site_id, ${collection}::text as collection, r.id, r.revision + 1 as revision,
        case when ${isFirst} then ${firstSet}::text[] else ${set}::text[] end as changed,
        ${isDated ? sql`case when ${isFirst} then ${previous(firstSet)} else ${previous(set)} end` : previous(set)} as previous
      from unnest(${records.map(({ site_id }) => site_id)}::text[], ${records.map(({ id }) => id)}::text[]) as due (site_id, id)
      join ${table} r on r.site_id = due.site_id and r.id = due.id
    )`,
    sql`changed as (
      update ${table} r set is_draft = false, publish_at = null, updated = ${at}, revision = writes.revision ${dated}
      from writes where r.site_id = writes.site_id and r.id = writes.id
    )`,
    insertRevisions(actor, at),
    pruneRevisions,
  ];
}

/** Collection with scheduled drafts. */
export interface WaitingDrafts {
  collection: string;
  /** Time until the first draft is due, in milliseconds; negative if it is overdue. */
  inMs: number;
}

/** SQL query for the collections with scheduled drafts on any site. */
export const waitingDrafts: RawBuilder<WaitingDrafts> = sql`
  select collection, (extract(epoch from first - clock_timestamp()) * 1000)::float8 as "inMs"
  from (${sql.join(
    scheduledCollections.map(
      (name) => sql`select ${sql.lit(name)} as collection, min(publish_at) as first from ${sql.table(name)}`,
    ),
    sql` union all `,
  )}) as firsts where first is not null`;
