import type pg from 'pg';
import { SessionClient, type SessionSettings } from '../../../shared/db/session.ts';
import type { BackupManifest, Table } from './contents.ts';

/** No statement timeout, but one for locks, which only a migration holds for long. */
const settings: SessionSettings = { client_encoding: 'UTF8', lock_timeout: '60s' };

/** Opens a connection that copies rows. Dispose of it with `await using`. */
export async function connectToCopy(connectionString: string, application_name: string) {
  const client = new SessionClient({ connectionString, application_name, settings, keepAlive: true });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/**
 * Lists all tables whose rows outlive a crash, except the list of migrations. The unlogged tables contain counters and
 * leases of seconds. Each table comes after those that its foreign keys reference.
 */
export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table & { after: string[] }>(`
    select c.relname as name,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
      ) as columns,
      array(
        select f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid
      ) as after
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and c.relname <> 'migrations'
    order by c.relname`);
  const sorted: Table[] = [];
  const add = ({ name, columns, after }: (typeof rows)[number]) => {
    if (sorted.some((table) => table.name === name)) return;
    for (const first of rows.filter((row) => after.includes(row.name))) add(first);
    sorted.push({ name, columns });
  };
  rows.forEach(add);
  return sorted;
}

export async function readPartitions(client: pg.ClientBase): Promise<BackupManifest['partitions']> {
  const { rows } = await client.query<BackupManifest['partitions'][number]>(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relispartition and c.relkind = 'r' and p.relnamespace = current_schema()::regnamespace order by c.relname`);
  return rows;
}

/** Lists the names of the applied migrations in their order; null for a database of another service. */
export async function readMigrations(client: pg.ClientBase): Promise<string[] | null> {
  if (!(await hasTable(client, 'migrations'))) return null;
  const { rows } = await client.query<{ name: string }>('select name from migrations order by id');
  return rows.map(({ name }) => name);
}

/**
 * Lists the names of tables that have rows, except that of the media store, which a start fills. Empty for an empty
 * database.
 */
export async function findFilledTables(client: pg.ClientBase): Promise<string[]> {
  const tables = await readTables(client);
  const filled: string[] = [];
  for (const { name } of tables.filter((table) => table.name !== 'media_store')) {
    const { rows } = await client.query(`select from ${quoted(name)} limit 1`);
    if (rows.length > 0) filled.push(name);
  }
  return filled;
}

export async function hasTable(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass(current_schema() || '.' || $1) is not null as exists",
    [name],
  );
  return rows[0]?.exists ?? false;
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
