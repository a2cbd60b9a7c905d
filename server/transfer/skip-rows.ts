import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { joinNotes } from '../../shared/importers/index.ts';
import { findSuppressed } from '../../shared/newsletter/suppressions.ts';
import { keyOf as recordKeyOf } from './import-plan.ts';
import type { Destination } from './import-target.ts';
import { type Candidate, type ImportTarget, isAttached } from './import-target.ts';
import { findImported, findParents, findTaken, keyOf, type Row } from './site-rows.ts';

/** Record that its contract accepts. */
export interface PendingRow {
  candidate: Candidate;
  row: Row;
  /** Notes on values that the import changed. */
  notes: string[];
}

export const rowsOf = (pending: readonly PendingRow[]): Row[] => pending.map(({ row }) => row);

export function report(
  { target, table }: Destination,
  { sourceId, title }: Candidate,
  {
    outcome,
    row,
    notes = [],
  }: { outcome: ImportedRecordReport['outcome']; row?: Row; notes?: readonly string[] },
) {
  if (isAttached(table) && outcome !== 'refused') return;
  target.report({
    collection: table.name,
    source_id: sourceId,
    id: idOf(target, outcome, row),
    title,
    outcome,
    reason: joinNotes(notes) || null,
  });
}

/** Returns the ID of the record on this site; null if it is not here. A new ID of a dry run is not reported. */
const idOf = ({ dryRun, source }: ImportTarget, outcome: string, row: Row | undefined) => {
  const isHere = outcome === 'skipped' || (outcome === 'created' && (!dryRun || source === null));
  return isHere && typeof row?.id === 'string' ? row.id : null;
};

/**
 * Returns the rows that are new. Rows that the site already has, by source ID or key, and rows that repeat a unique value
 * are reported as skipped.
 */
export async function withoutImported(into: Destination, pending: PendingRow[]): Promise<PendingRow[]> {
  const { target, table } = into;
  if (pending.length === 0) return pending;
  const skip = (one: PendingRow, why: string, id?: string) =>
    report(into, one.candidate, {
      outcome: 'skipped',
      notes: [why],
      row: id === undefined && target.source === null ? one.row : { id },
    });
  const left =
    target.source === null
      ? onlyFirst(pending, {
          keyOf: ({ row }) => keyOf(table, row),
          known: await findTaken(into, table.key, rowsOf(pending)),
          skip: (one) => skip(one, 'Already on this site'),
        })
      : onlyFirst(pending, {
          keyOf: sourceIdOf,
          known: await findImported(target, table.name, pending.map(sourceIdOf)),
          skip(one, found) {
            const key = recordKeyOf({ collection: table.name, sourceId: sourceIdOf(one) });
            const conflict = target.conflicts.get(key);
            if (conflict === undefined) skip(one, 'Already imported', found?.[0].id);
            else report(into, one.candidate, { outcome: 'refused', notes: [conflict] });
          },
          seen: foreseenOf(into),
        });
  const { once } = table;
  if (!once || left.length === 0) return left;
  // A row with null in one of these columns is never a duplicate, such as a purchase without an ID at its provider.
  const isCompared = ({ row }: PendingRow) => once.every((name) => row[name] !== null);
  const compared = left.filter(isCompared);
  const kept = new Set(
    onlyFirst(compared, {
      keyOf: ({ row }) => keyOf({ key: once }, row),
      known: await findTaken(into, once, rowsOf(compared)),
      skip: (one) => skip(one, `Already on this site: a record with the same ${once.join(' and ')}`),
    }),
  );
  return left.filter((one) => kept.has(one) || !isCompared(one));
}

const sourceIdOf = ({ candidate }: PendingRow) => candidate.sourceId;

/**
 * Returns the source IDs that a dry run has seen. They are not in the database, so they are kept in memory up to a
 * limit.
 */
function foreseenOf({ target: { dryRun, foreseen, max }, table: { name } }: Destination): Set<string> {
  const seen = foreseen.get(name) ?? new Set();
  if (!dryRun || seen.size >= max.remembered) return new Set();
  foreseen.set(name, seen);
  return seen;
}

/** Keeps the first row for each key that is not among `known`. */
function onlyFirst<Known>(
  pending: readonly PendingRow[],
  {
    keyOf,
    known,
    skip,
    seen = new Set(),
  }: {
    keyOf: (one: PendingRow) => string;
    known: ReadonlySet<string> | ReadonlyMap<string, Known>;
    skip: (one: PendingRow, found: Known | undefined) => void;
    seen?: Set<string>;
  },
): PendingRow[] {
  return pending.filter((one) => {
    const key = keyOf(one);
    if (!known.has(key) && !seen.has(key)) return seen.add(key);
    skip(one, known instanceof Map ? known.get(key) : undefined);
    return false;
  });
}

/**
 * Returns the rows whose parent record exists and has not changed since it was exported. Others are reported as refused, or
 * left out if they are attached to a record (`isAttached`).
 */
export async function withoutOrphans(into: Destination, pending: PendingRow[]): Promise<PendingRow[]> {
  const { target, table } = into;
  const { parent } = table;
  const isCertain = target.dryRun && isAttached(table);
  if (!parent || pending.length === 0 || isCertain) return pending;
  const ids = [...new Set(pending.map(({ row }) => String(row[parent.by])))];
  const found = await findParents(target, parent, ids);
  const planned = target.planned.get(parent.table);
  return pending.filter(({ candidate, row }) => {
    const id = String(row[parent.by]);
    const held = found.get(id);
    const isThere = held
      ? Object.keys(parent.same).every((name) => held[name] === row[name])
      : planned?.has(id);
    if (!isThere)
      report(into, candidate, {
        outcome: isAttached(table) ? 'skipped' : 'refused',
        notes: [`Not imported: the record in ${parent.by} is missing here or has changed`],
      });
    return isThere;
  });
}

/** Returns the rows for which `whatLacks` returns null. Others are reported as refused, with the reason that it returns. */
export function withoutMissing(
  into: Destination,
  pending: PendingRow[],
  whatLacks: (row: Row) => string | null,
) {
  return pending.filter(({ candidate, row }) => {
    const why = whatLacks(row);
    if (why !== null) report(into, candidate, { outcome: 'refused', notes: [why] });
    return why === null;
  });
}

const wantsMail = ({ row }: PendingRow) => row.status === 'active' || row.status === 'pending';

/**
 * Returns the rows without subscribers who unsubscribed from the site's newsletter or complained about it. These are
 * reported as skipped, because no imported list restores them.
 */
export async function withoutSuppressed(into: Destination, pending: PendingRow[]): Promise<PendingRow[]> {
  const { target, table } = into;
  if (table.table !== 'subscribers' || pending.length === 0) return pending;
  const emails = pending.map(({ row }) => String(row.email));
  const suppressed = await findSuppressed(target.deps, target.siteId, emails);
  return pending.filter((one) => {
    const reason = wantsMail(one) ? suppressed.get(String(one.row.email)) : undefined;
    if (reason === undefined) return true;
    const notes = [`Not imported: the newsletter is not sent to this address (${reason})`];
    report(into, one.candidate, { outcome: 'skipped', notes });
    return false;
  });
}
