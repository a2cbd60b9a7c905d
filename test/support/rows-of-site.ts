import { openPool } from '../../shared/db/session.ts';
import type { TestApp } from './app.ts';

export type Row = {
  id?: string;
  slug?: string;
  course_id?: string;
  module_id?: string;
  subscription_id?: string;
  action?: string;
  is_draft?: boolean;
  key_prefix?: string;
};

export type RowsByTable = Record<string, Row[]>;

/**
 * Creates a reader for the rows of a site in all tables, without the named columns. It reads a table again only if row
 * versions changed since the last call. Dispose of it.
 */
export async function createRowReader(
  { databaseUrl }: Pick<TestApp, 'databaseUrl'>,
  siteId: string,
  without: readonly string[] = [],
) {
  // The statements never change, so they are planned once. They are exempt from the judgement of plans.
  const settings = { plan_cache_mode: 'force_generic_plan', 'auto_explain.log_min_duration': -1 };
  const pool = openPool({ connectionString: databaseUrl, max: 1, settings });
  // Tests that end all connections end this one too. The next call opens another.
  pool.on('error', () => {});
  const { rows: found } = await pool.query<{ name: string }>(`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and c.column_name = 'site_id' and t.table_type = 'BASE TABLE' order by 1`);
  const tables = found.map(({ name }) => name);

  const createLook = (name: string, newest: (table: string) => string) => {
    const ofAll = (select: (table: string, own: string) => string) =>
      tables
        .map((table) =>
          select(table, `where site_id = '${siteId}' and '${table}' = any($1) ${newest(table)}`),
        )
        .join(' union all ');
    const versions = ofAll(
      (table, own) => `
        select '${table}' as name, (select string_agg(version, ' ')
          from (select concat_ws('/', tableoid, ctid, xmin) as version from ${table} ${own}) own) as versions`,
    );
    const rows = ofAll(
      (table, own) => `
        select '${table}' as name, coalesce(jsonb_agg(row order by row), '[]') as rows
        from (select to_jsonb(t) - '{${without}}'::text[] as row from (select * from ${table} ${own}) t) own`,
    );
    const last = new Map<string, { versions: string | null; rows: Row[] }>();
    return async (): Promise<RowsByTable> => {
      const now = await pool.query<{ name: string; versions: string | null }>({
        name: `versions of ${name}`,
        text: versions,
        values: [tables],
      });
      const changed = now.rows.filter((table) => last.get(table.name)?.versions !== table.versions);
      const names = changed.map(({ name }) => name);
      const read = await pool.query<{ name: string; rows: Row[] }>({
        name: `rows of ${name}`,
        text: rows,
        values: [names],
      });
      const rowsOf = new Map(read.rows.map((table) => [table.name, table.rows]));
      for (const { name, versions } of changed) last.set(name, { versions, rows: rowsOf.get(name) ?? [] });
      return Object.fromEntries([...last].map(([name, table]) => [name, table.rows]));
    };
  };

  return {
    tables: tables as readonly string[],
    /** Returns all rows, by table. */
    all: createLook('all', () => ''),
    /**
     * Returns the last 50 written rows of each table. Posts are sorted by ID, which has an index, because there may be
     * tens of thousands.
     */
    latest: createLook(
      'the latest',
      (table) => `order by ${table === 'posts' ? 'id' : 'ctid'} desc limit 50`,
    ),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
