import { type RawBuilder, sql } from 'kysely';
import { resources } from '../../shared/contract/resources/index.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { dayOf, ensureDays } from '../../shared/db/page-views.ts';

const sites = 2_000;

/** Number of rows per site and table. */
const rowsOfSite = 5;

/**
 * Adds 2,000 other sites with rows in every table, and the given number of posts on the site itself. It does not update
 * statistics. No row is due or expires within a year.
 */
export async function addManySites(url: string, siteId: string, posts: number) {
  const database = await openDatabase({ url, poolSize: 1, applicationName: 'many-sites' });
  await ensureDays(database, [dayOf(new Date())]);
  await database.em.fork().transactional(async (em) => {
    const db = em.getKysely();
    // Without triggers and foreign keys, because the rows are generated. They are counted at the end.
    await sql`set local session_replication_role = replica`.execute(db);
    const { rows: columns } = await sql<Column>`
      select table_name as table, column_name as name, data_type as type
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where table_schema = current_schema() and t.table_type = 'BASE TABLE' and is_nullable = 'NO' and is_generated = 'NEVER'
        and table_name !~ '^page_views_' order by 1`.execute(db);
    for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
      // No rows of `sites`: the site remains the only one, so that visitors reach it by any host name.
      if (!own.some(({ name }) => name === 'site_id') || excluded.includes(table)) continue;
      const rows = onePerSite.includes(table) ? 1 : rowsOfSite;
      await sql`
        insert into ${sql.table(table)} (${sql.join(own.map(({ name }) => sql.ref(name)))})
        select ${sql.join(own.map((column) => valueFor(column)))}
        from generate_series(1, ${rows}::integer) n, generate_series(1, ${sites}::integer) s`.execute(db);
    }
    const own = columns.filter(({ table }) => table === 'posts');
    const values = own.map((column) => ownPost[column.name] ?? valueFor(column));
    await sql`
      insert into posts (${sql.join(own.map(({ name }) => sql.ref(name)))}, published_at)
      select ${sql.join(values.map((value) => (value === ownPost.site_id ? sql`${siteId}` : value)))}, ${longAgo}
      from generate_series(1, ${posts}::integer) n, (select 0 as s) own`.execute(db);
    await sql`
      insert into collection_changes (site_id, collection, version, public_count, slot)
      select 'site-' || s, collection, 1, ${rowsOfSite}::integer, slot
      from generate_series(1, ${sites}::integer) s, unnest(${Object.keys(resources)}::text[]) collection, generate_series(0, 3) slot
      union all select ${siteId}, 'posts', 1, ${posts}::integer, 0
      on conflict (site_id, collection, slot) do update set public_count = collection_changes.public_count + excluded.public_count`.execute(
      db,
    );
  });
  await database.close();
}

/** Tables without generated rows: counters are computed below, and no image waits. */
const excluded = ['collection_changes', 'media_to_size'];

const onePerSite = ['profiles', 'mail_keys', 'payment_connections'];

interface Column {
  table: string;
  name: string;
  type: string;
}

const byName: Record<string, RawBuilder<unknown>> = {
  site_id: sql`'site-' || s`,
  visibility: sql`'public'`,
  access_tier: sql`'free'`,
  // Sum of a mailing's nine counters. Its emails were sent long ago, so `sending` is 0.
  recipients: sql`8 * n`,
  sending: sql`0`,
  title: sql`'Common ' || n`,
  content: sql`'Words that are common to all, and word' || n`,
};

const longAgo = sql`timestamptz '2025-01-01' + n * interval '1 minute'`;

const ownPost: Record<string, RawBuilder<unknown>> = {
  site_id: sql``,
  id: sql`lpad(n::text, 15, '0')`,
  slug: sql`'common-' || n`,
  created: longAgo,
  updated: longAgo,
  tags: sql`array['common', 'tag-' || n % 50]`,
};

const byType: Record<string, RawBuilder<unknown>> = {
  ARRAY: sql`'{}'`,
  boolean: sql`false`,
  integer: sql`n`,
  bigint: sql`n`,
  numeric: sql`n`,
  'double precision': sql`n`,
  jsonb: sql`'{}'::jsonb`,
  bytea: sql`decode(md5(s || '-' || n), 'hex')`,
  date: sql`current_date`,
  'timestamp with time zone': sql`now() + interval '400 days' + n * interval '1 minute'`,
};

const valueFor = ({ name, type }: Column) =>
  byName[name] ?? byType[type] ?? sql`left(md5(${name} || s || '-' || n), 15)`;
