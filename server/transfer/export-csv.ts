import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import { byteOrderMark, csvLine } from '../../shared/contract/features/csv.ts';
import type { CsvKind } from '../../shared/contract/features/import-export.ts';
import type { Infrastructure } from '../api/deps.ts';

const columns = {
  subscribers: ['email', 'name', 'status', 'source', 'created'],
  members: ['email', 'name', 'status', 'access_tiers', 'created', 'last_seen_at'],
} as const satisfies Record<CsvKind, readonly string[]>;

const batchSize = 1_000;

/**
 * Writes all subscribers or all members of a site as CSV, in the order of their IDs. People who join during the export may
 * be missing. Rejects if `to` fails or is closed.
 */
export const exportCsv = (
  deps: Pick<Infrastructure, 'database'>,
  siteId: string,
  kind: CsvKind,
  to: Writable,
) => pipeline(Readable.from(linesOf(deps, siteId, kind)), to);

async function* linesOf({ database }: Pick<Infrastructure, 'database'>, siteId: string, kind: CsvKind) {
  const names = columns[kind];
  yield byteOrderMark + csvLine(names);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows } = await sql<Record<string, unknown> & { id: string }>`
      select id, ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(kind)}
      where site_id = ${siteId} and id > ${after} order by id limit ${batchSize}`.execute(
      database.em.getKysely(),
    );
    yield rows.map((row) => csvLine(names.map((name) => textOf(row[name])))).join('');
    after = rows.length < batchSize ? undefined : rows.at(-1)?.id;
  }
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(' ') : String(value ?? '');
}
