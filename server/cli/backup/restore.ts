import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { withLock } from '../../../shared/db/advisory-lock.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import type { Entry } from './archive-reader.ts';
import { connectToCopy, findFilledTables, quoted, readMigrations, readTables } from './catalog.ts';
import { type BackupManifest, type Table, tableOf } from './contents.ts';
import type { Backup } from './open-backup.ts';

const unpack = promisify(gunzip);

interface RestoreTarget {
  databaseUrl: string;
  /** Puts the files outside the database in place. Called after all rows are restored, before they are committed. */
  restoreFiles(): Promise<void>;
  onProgress(message: string): void;
}

/**
 * Restores a backup into an empty database, in one transaction that can be repeated if interrupted. Newer migrations
 * are applied afterwards. Locks keep other processes from creating a first site. Throws an `Error` with advice if the
 * database is not empty.
 */
export async function restoreDatabase(backup: Backup, target: RestoreTarget): Promise<void> {
  const { databaseUrl } = target;
  const { manifest } = backup;
  await withLock(databaseUrl, 'firstSite', async () => {
    await refuseFilled(databaseUrl, manifest);
    await migrate(databaseUrl, manifest.migrations);
    await withLock(databaseUrl, 'migrate', () => load(backup, target));
  });
  const later = await migrate(databaseUrl);
  if (later.length > 0) target.onProgress(`Applied newer migrations: ${later.join(', ')}`);
}

async function refuseFilled(databaseUrl: string, manifest: BackupManifest) {
  await using client = await connectToCopy(databaseUrl, 'restore');
  await refuseOtherState(client, manifest);
}

/** Throws if the database has rows, or migrations that the backup does not have. */
async function refuseOtherState(client: pg.Client, { migrations }: BackupManifest) {
  const filled = await findFilledTables(client);
  if (filled.length > 0)
    throw new Error(
      `The database is not empty: it has rows in ${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ' …' : ''}. Restore into an empty database. Nothing was changed.`,
    );
  const done = (await readMigrations(client)) ?? [];
  const further = done.filter((name) => !migrations.includes(name));
  if (further.length > 0)
    throw new Error(
      `The database has migrations that the backup lacks (${further.join(', ')}): restore into a database without tables.`,
    );
}

/** Loads all rows in one transaction, so that an interruption leaves the tables empty. */
async function load(backup: Backup, { databaseUrl, restoreFiles, onProgress }: RestoreTarget) {
  const { manifest, archive } = backup;
  await using client = await connectToCopy(databaseUrl, 'restore');
  await client.query('begin');
  const hasParts = manifest.tables.some(({ name, columns }) => name === 'trash' && columns.includes('parts'));
  if (hasParts) await client.query('alter table trash add column parts jsonb');
  await refuseOtherTables(client, manifest);
  const names = manifest.tables.map(({ name }) => quoted(name));
  await client.query(`lock table ${names.join(', ')} in access exclusive mode`);
  await refuseOtherState(client, manifest);
  for (const { name, parent, bound } of manifest.partitions)
    await client.query(`create table if not exists ${quoted(name)} partition of ${quoted(parent)} ${bound}`);
  // The backup contains the counts that triggers maintain.
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  if (manifest.tables.some(({ name }) => name === 'media_store'))
    await client.query('delete from media_store');
  for (const table of manifest.tables) {
    const parts = archive.entries.filter(({ path }) => tableOf(path) === table.name);
    const rows = await fill(client, table, parts);
    if (rows > 0) onProgress(`${table.name}: ${rows} rows`);
  }
  // A table with pending foreign key checks cannot be altered.
  await client.query('set constraints all immediate');
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  // Versions before the baseline had this column, always empty.
  if (hasParts) await client.query('alter table trash drop column parts');
  await restoreFiles();
  await client.query('commit');
  await client.query('analyze');
}

async function refuseOtherTables(client: pg.Client, { tables }: BackupManifest) {
  const there = await readTables(client);
  const columns = new Map(there.map((table) => [table.name, new Set(table.columns)]));
  for (const table of tables) {
    const missing = table.columns.filter((column) => !columns.get(table.name)?.has(column));
    if (missing.length > 0)
      throw new Error(
        `The table ${table.name} has no column ${missing.join(', ')}: the backup does not match its migrations.`,
      );
  }
}

async function fill(client: pg.Client, { name, columns }: Table, parts: readonly Entry[]): Promise<number> {
  if (parts.length === 0) return 0;
  const rows = client.query(copyFrom(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`));
  await pipeline(unpacked(parts), rows);
  return rows.rowCount;
}

async function* unpacked(parts: readonly Entry[]) {
  for (const part of parts) yield await unpack(await buffer(part.content()));
}
