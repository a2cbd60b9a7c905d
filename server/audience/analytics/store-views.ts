import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../shared/db/config.ts';
import { ensureDays, labelsPerDay, otherLabel, utmLabel } from '../../../shared/db/page-views.ts';

export interface PageView {
  site_id: string;
  day: string;
  path: string;
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  visitor: string;
}

/** Stores views in one statement. Rejects if it fails; then none of them is stored. */
export const insertViews = (database: Database, views: readonly PageView[]): Promise<void> =>
  withDays(database, views, () => insert(database.em.getKysely(), views));

/**
 * Stores a view within a transaction, which survives if the day's partition must be created first. Rejects if the
 * view cannot be stored.
 */
export const insertViewWithin = (transaction: Database, view: PageView): Promise<void> =>
  withDays(transaction, [view], () =>
    transaction.em.fork().transactional((em) => insert(em.getKysely(), [view])),
  );

/** Inserts views. When a site has the maximum number of labels for a day, others are stored as one common label. */
const insert = (db: Kysely<unknown>, views: readonly PageView[]) =>
  sql`
    with v as materialized (
      select *, ${hashOf(sql`path`)} as path_hash, ${hashOf(sql`referrer`)} as referrer_hash, ${hashOf(utmLabel)} as utm_hash
      from json_to_recordset(${JSON.stringify(views)}::json) as v(
        site_id text, day date, path text, referrer text, utm_source text, utm_medium text, utm_campaign text, visitor bigint
      )
    ),
    labels as materialized (
      select site_id, day, dimension, array_agg(distinct hash) as hashes from (
        select site_id, day, 'path' as dimension, path_hash as hash from v
        union all select site_id, day, 'referrer', referrer_hash from v
        union all select site_id, day, 'utm', utm_hash from v
      ) every_label where hash is not null group by site_id, day, dimension order by site_id, day, dimension
    ),
    kept as materialized (
      select site_id, day, dimension, hash
      from labels cross join lateral keep_view_labels(site_id, day, dimension, hashes, ${labelsPerDay}) as hash
    )
    insert into page_views (site_id, day, path, referrer, utm_source, utm_medium, utm_campaign, visitor)
    select v.site_id, v.day, ${unlessOver('path', sql`v.path`)}, ${unlessOver('referrer', sql`v.referrer`)},
      ${unlessOver('utm', sql`v.utm_source`)}, ${unlessOver('utm', sql`v.utm_medium`)}, ${unlessOver('utm', sql`v.utm_campaign`)},
      v.visitor
    from v
    left join kept path on path.dimension = 'path'
      and (path.site_id, path.day, path.hash) = (v.site_id, v.day, v.path_hash)
    left join kept referrer on referrer.dimension = 'referrer'
      and (referrer.site_id, referrer.day, referrer.hash) = (v.site_id, v.day, v.referrer_hash)
    left join kept utm on utm.dimension = 'utm'
      and (utm.site_id, utm.day, utm.hash) = (v.site_id, v.day, v.utm_hash)`.execute(db);

/** SQL: hash by which labels are counted; null for the empty label, which is never limited. */
const hashOf = (label: RawBuilder<unknown>) => sql`sha256(convert_to(nullif(${label}, ''), 'UTF8'))`;

const unlessOver = (dimension: 'path' | 'referrer' | 'utm', text: RawBuilder<unknown>) =>
  sql`case when ${sql.ref(`v.${dimension}_hash`)} is null or ${sql.ref(`${dimension}.hash`)} is not null then ${text}
    else ${sql.lit(otherLabel)} end`;

async function withDays(database: Database, views: readonly PageView[], store: () => Promise<unknown>) {
  try {
    await store();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await ensureDays(database, new Set(views.map((view) => view.day)));
    await store();
  }
}

/** True for PostgreSQL's `check_violation`: the table has no partition for the row. */
const isMissingPartition = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '23514';
