import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { IsolationLevel } from '@mikro-orm/core';
import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../shared/db/config.ts';
import { ApiError } from '../../api/api-error.ts';
import type { StoreDeps } from '../../api/deps.ts';
import type { ArchiveTable, Columns } from './archive-columns.ts';
import { archiveTables, profileColumns, siteColumns } from './archive-tables.ts';
import {
  type ArchivedFile,
  type ArchivedMediaFile,
  type ArchiveManifest,
  listMediaFiles,
} from './manifest.ts';

/**
 * Export snapshot.
 *
 * An export first copies the site's rows to temporary files, in one read-only `REPEATABLE READ` transaction. All tables are
 * therefore from the same time. The transaction ends before the first byte is sent, so a slow receiver does not keep it open.
 * The archive is then packed from these files and the media store. An interrupted export leaves nothing behind, and starts
 * again from the beginning.
 */

/** Receives progress: the number of records of `name` that are done. */
export type OnProgress = (name: string, records: number) => void;

/** Temporary file with the exported rows of a table. */
export interface StagedFile extends ArchivedFile {
  handle: FileHandle;
}

/** Statement timeout, in milliseconds. A batch normally takes a few. */
const statementMs = 60_000;

/**
 * Copies the rows of a site, as of one time, into temporary files from `open`. Throws `not_found` if there is no such
 * site.
 */
export const takeSnapshot = (
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  open: () => Promise<FileHandle>,
  onProgress: OnProgress,
): Promise<{
  settings: Pick<ArchiveManifest, 'site' | 'profile'>;
  files: StagedFile[];
  media: ArchivedMediaFile[];
}> =>
  database.em.fork().transactional(
    async (em) => {
      await sql`select set_config('statement_timeout', ${`${statementMs}`}, true)`.execute(em.getKysely());
      const settings = await settingsOf(em, siteId);
      const files: StagedFile[] = [];
      for (const each of archiveTables) {
        files.push(await stage(em, each, siteId, await open(), onProgress));
      }
      return { settings, files, media: await listMediaFiles(em, siteId) };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );

async function settingsOf(em: Transaction, siteId: string) {
  const site = await readSettings(em, 'sites', 'id', siteColumns, siteId);
  const profile = await readSettings(em, 'profiles', 'site_id', profileColumns, siteId);
  if (!site || !profile) throw new ApiError('not_found');
  return { site, profile };
}

async function stage(
  em: Transaction,
  table: ArchiveTable,
  siteId: string,
  handle: FileHandle,
  onProgress: OnProgress,
): Promise<StagedFile> {
  const hash = createHash('sha256');
  let [records, bytes] = [0, 0];
  for await (const lines of readRows(em, table, siteId)) {
    const chunk = Buffer.from(`${lines.join('\n')}\n`);
    hash.update(chunk);
    records += lines.length;
    bytes += chunk.length;
    await handle.writeFile(chunk);
    onProgress(table.name, records);
  }
  return { name: `${table.name}.jsonl`, records, bytes, sha256: hash.digest('hex'), handle };
}

/** Maximum rows of a batch, and the size of its lines above which the next batch is smaller. */
const max = { rows: 32, bytes: 4 * 1024 * 1024 } as const;

/** Size of the first batch, in rows, while their length is unknown. */
const minRows = 4;

/** Yields the lines of rows in batches, in an order that is the same in every database. A cursor reads all keys once. */
async function* readRows(em: Transaction, table: ArchiveTable, siteId: string): AsyncGenerator<string[]> {
  const db = em.getKysely();
  const keys = table.key.map((name) => sql`${keyOf(table, name)} as ${sql.ref(name)}`);
  await sql`
    declare keys no scroll cursor for
    select ${sql.join(keys)} ${fromRows(table, siteId)}
    order by ${sql.join(table.key.map((name) => keyOf(table, name)))}`.execute(db);
  let rows: number = minRows;
  for (;;) {
    const { rows: batch } = await sql<Record<string, unknown>>`fetch ${sql.lit(rows)} from keys`.execute(db);
    if (batch.length === 0) break;
    const lines = await linesOf(em, table, siteId, batch);
    yield lines;
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    rows = bytes > max.bytes ? Math.max(1, Math.floor(rows / 4)) : Math.min(max.rows, rows * 2);
  }
  await sql`close keys`.execute(db);
}

/** Texts are sorted by their bytes, independent of the database's collation. */
const keyOf = ({ columns }: ArchiveTable, name: string) =>
  isText(columns, name) ? sql`${sql.ref(`r.${name}`)} collate "C"` : sql.ref(`r.${name}`);

/** Keys are texts or integers. */
const isText = (columns: Columns, name: string) => columns[name]?.contract.type === 'string';

function fromRows({ table, fixed = {}, parent }: ArchiveTable, siteId: string): RawBuilder<unknown> {
  const owned =
    parent &&
    sql`join ${sql.table(parent.table)} p on p.site_id = r.site_id and p.id = ${sql.ref(`r.${parent.by}`)}`;
  const alike = Object.entries(fixed).map(([name, text]) => sql` and ${sql.ref(`r.${name}`)} = ${text}`);
  return sql`from ${sql.table(table)} r ${owned ?? sql``} where r.site_id = ${siteId}${sql.join(alike, sql``)}`;
}

async function linesOf(
  em: Transaction,
  table: ArchiveTable,
  siteId: string,
  keys: readonly Record<string, unknown>[],
): Promise<string[]> {
  const { key, columns, parent } = table;
  const keyArrays = key.map((name) => {
    const type = sql.raw(isText(columns, name) ? 'text[]' : 'integer[]');
    return sql`${keys.map((row) => row[name])}::${type}`;
  });
  const names = key.map((name) => sql.ref(name));
  const matches = key.map((name) => sql`${sql.ref(`r.${name}`)} = ${sql.ref(`k.${name}`)}`);
  const said = Object.entries(columns).map(([name, { as }]) => {
    const held = parent?.same[name];
    return sql`${written[as](sql.ref(held ? `p.${held}` : `r.${name}`))} as ${sql.ref(name)}`;
  });
  const { rows } = await sql<{ line: string }>`
    select row_to_json(said)::text as line
    from unnest(${sql.join(keyArrays)}) with ordinality as k (${sql.join(names)}, place)
    cross join lateral (
      select ${sql.join(said)} ${fromRows(table, siteId)} and ${sql.join(matches, sql` and `)}
    ) as said
    order by k.place`.execute(em.getKysely());
  return rows.map(({ line }) => line);
}

/** SQL that formats a value the same way in every database. */
const written: Record<Columns[string]['as'], (column: RawBuilder<unknown>) => RawBuilder<unknown>> = {
  value: (column) => sql`${column}`,
  moment: (column) => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  number: (column) => sql`trim_scale(${column})`,
};

/** Reads a row of settings in the form of the manifest; undefined if it does not exist. */
async function readSettings(
  em: Transaction,
  table: string,
  by: string,
  columns: Columns,
  siteId: string,
): Promise<Record<string, unknown> | undefined> {
  const said = Object.entries(columns).map(
    ([name, { as }]) => sql`${written[as](sql.ref(name))} as ${sql.ref(name)}`,
  );
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select row_to_json(said) as row from (
      select ${sql.join(said)} from ${sql.table(table)} where ${sql.ref(by)} = ${siteId}
    ) as said`.execute(em.getKysely());
  return rows[0]?.row;
}
