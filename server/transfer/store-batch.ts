import type { Transaction } from '../../shared/db/config.ts';
import { ApiError } from '../api/api-error.ts';
import type { CheckedBatch } from './check-batch.ts';
import { giveSlugs, lockSlugs } from './free-slugs.ts';
import { type Destination, isRecord } from './import-target.ts';
import {
  deleteLaterRevisions,
  insertRows,
  isUnstorable,
  keyOf,
  type Row,
  whyUnstorable,
} from './site-rows.ts';
import {
  type PendingRow,
  report,
  rowsOf,
  withoutImported,
  withoutMissing,
  withoutOrphans,
  withoutSuppressed,
} from './skip-rows.ts';

/** Additional steps for storing rows of one table. */
export interface BatchOptions {
  /** Stores dependent rows of new rows, in the same transaction. */
  alsoStore?: (em: Transaction, stored: readonly PendingRow[]) => Promise<void>;
  /** Changes new rows before they are stored. Rows that it drops must be reported by it. */
  prepare?: (into: Destination, pending: readonly PendingRow[]) => Promise<PendingRow[]>;
  /** Reason to refuse a new row; null to store it. */
  whatLacks?: (row: Row) => string | null;
}

/**
 * Stores the new rows of a batch and reports the outcome of each record. Each batch has its own transaction. Throws
 * the reason of the import's signal after an abort.
 */
export async function storeBatch(
  into: Destination,
  { sound, refused }: CheckedBatch,
  { alsoStore, prepare, whatLacks }: BatchOptions = {},
): Promise<void> {
  const { target, table } = into;
  target.signal.throwIfAborted();
  for (const { candidate, why } of refused)
    report(into, candidate, { outcome: candidate.isExcluded ? 'skipped' : 'refused', notes: [why] });
  let pending = await withoutImported(into, sound);
  pending = await withoutOrphans(into, pending);
  pending = await withoutSuppressed(into, pending);
  if (whatLacks) pending = withoutMissing(into, pending, whatLacks);
  if (prepare) pending = await prepare(into, pending);
  if ('slug' in table.columns) {
    const renamed = await giveSlugs(into, rowsOf(pending));
    for (const { row, notes } of pending) {
      const note = renamed.get(row);
      if (note !== undefined) notes.push(note);
    }
  }
  const stored = target.dryRun ? pending : await store(into, pending, alsoStore);
  for (const { candidate, row, notes } of stored) report(into, candidate, { outcome: 'created', row, notes });
  if (target.dryRun) remember(into, stored);
  await target.untilTaken();
}

/**
 * Stores rows in a transaction. If PostgreSQL cannot store a value, each half is tried separately, down to the single
 * faulty row.
 */
async function store(
  into: Destination,
  pending: readonly PendingRow[],
  alsoStore: BatchOptions['alsoStore'],
): Promise<readonly PendingRow[]> {
  const { target, table } = into;
  if (pending.length === 0) return [];
  try {
    const rows = rowsOf(pending);
    const inserted = await target.change(async (em) => {
      if ('slug' in table.columns) await lockSlugs(em, into, rows);
      const keys = await insertRows({ em, siteId: target.siteId }, table, rows);
      const isNew = (row: Row) => keys.has(keyOf(table, row));
      const position = { siteId: target.siteId, collection: table.table };
      if (isRecord(table)) await deleteLaterRevisions(em, position, rows.filter(isNew));
      await alsoStore?.(
        em,
        pending.filter(({ row }) => isNew(row)),
      );
      return keys;
    });
    return pending.filter((one) => {
      const isStored = inserted.has(keyOf(table, one.row));
      if (!isStored)
        report(into, one.candidate, {
          outcome: 'refused',
          notes: [
            'Not imported: a record with the same unique value was created during the import. Import the file again',
          ],
        });
      return isStored;
    });
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    const half = Math.ceil(pending.length / 2);
    if (half < pending.length)
      return [
        ...(await store(into, pending.slice(0, half), alsoStore)),
        ...(await store(into, pending.slice(half), alsoStore)),
      ];
    for (const { candidate } of pending)
      report(into, candidate, { outcome: 'refused', notes: [whyUnstorable(error)] });
    return [];
  }
}

/** Records the IDs of courses and modules that a dry run would have stored, since later rows may belong to them. */
function remember(
  { target: { planned, max }, table: { table, parent, columns } }: Destination,
  stored: readonly PendingRow[],
) {
  if (!('id' in columns) || parent?.by === 'record_id' || !wholes.has(table)) return;
  const ids = planned.get(table) ?? new Set();
  for (const { row } of stored) ids.add(String(row.id));
  if (ids.size > max.remembered)
    throw new ApiError('validation_failed', `the file has more than ${max.remembered} ${table}`);
  planned.set(table, ids);
}

const wholes: ReadonlySet<string> = new Set(['courses', 'modules']);
