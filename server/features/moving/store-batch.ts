import type { Transaction } from '../../../shared/db/config.ts';
import type { Carried } from './carried.ts';
import { explain } from './explain.ts';
import { findImported, findParents, findTaken } from './found-rows.ts';
import { giveSlugs, lockSlugs } from './free-slugs.ts';
import { forgetLaterWrites, insertRows, isUnstorable, keyOf, type Row } from './insert-rows.ts';
import { type Candidate, isPart, isRecord, type Target } from './target.ts';

/** What belongs to the rows of a batch besides themselves. */
export interface Besides {
  /** Stores what belongs to rows that are new, in their transaction. */
  alsoStore?: (em: Transaction, stored: readonly Pending[]) => Promise<void>;
  /** Why a row that is not there yet can't be stored; null for one that can. */
  whatLacks?: (row: Row) => string | null;
}

export interface Pending {
  candidate: Candidate;
  row: Row;
  /** What of it is not as it was. */
  notes: string[];
}

/** A batch of records, and what is wrong with those that their contract refuses. */
export interface CheckedBatch {
  sound: Pending[];
  refused: { candidate: Candidate; why: string }[];
}

/** Compares records with their contract, without asking anybody: the next batch can be checked while one is stored. */
export function checkBatch({ contract }: Carried, candidates: readonly Candidate[]): CheckedBatch {
  const batch: CheckedBatch = { sound: [], refused: [] };
  for (const candidate of candidates) {
    const { row, reason = '' } = candidate;
    const result = row && contract.safeParse(row);
    if (result?.success) batch.sound.push({ candidate, row: result.data, notes: reason ? [reason] : [] });
    else batch.refused.push({ candidate, why: result ? explain(result.error) : reason });
  }
  return batch;
}

/** Stores what is new of a batch, and tells of each record what became of it. Batches stand or fall by themselves. */
export async function storeBatch(
  target: Target,
  carried: Carried,
  { sound, refused }: CheckedBatch,
  { alsoStore, whatLacks }: Besides = {},
): Promise<void> {
  target.signal.throwIfAborted();
  for (const { candidate, why } of refused)
    tell(target, carried, candidate, candidate.isLeftOut ? 'skipped' : 'refused', { notes: [why] });
  let pending = await withoutKnown(target, carried, sound);
  pending = await withoutOrphans(target, carried, pending);
  if (whatLacks) pending = withoutLacking(target, carried, pending, whatLacks);
  if ('slug' in carried.columns) await noteSlugs(target, carried, pending);
  const stored = target.dryRun ? pending : await store(target, carried, pending, alsoStore);
  for (const { candidate, row, notes } of stored) tell(target, carried, candidate, 'created', { row, notes });
  if (target.dryRun) remember(target, carried, stored);
  await target.untilTaken();
}

interface Told {
  row?: Row;
  notes?: readonly string[];
}

function tell(
  target: Target,
  carried: Carried,
  { sourceId, title }: Candidate,
  outcome: 'created' | 'skipped' | 'refused',
  { row, notes = [] }: Told,
) {
  if (isPart(carried) && outcome !== 'refused') return;
  target.tell({
    collection: carried.name,
    source_id: sourceId,
    id: idOf(target, outcome, row),
    title,
    outcome,
    reason: notes.length > 0 ? notes.join('; ') : null,
  });
}

/** Of what is here. Records of other systems get theirs when they are stored, those of archives bring them. */
const idOf = ({ dryRun, source }: Target, outcome: string, row: Row | undefined) => {
  const isHere = outcome === 'skipped' || (outcome === 'created' && (!dryRun || source === null));
  return isHere && typeof row?.id === 'string' ? row.id : null;
};

/** Leaves out what is there already, by its source or its key, and what only one record may have. */
async function withoutKnown(target: Target, carried: Carried, pending: Pending[]): Promise<Pending[]> {
  if (pending.length === 0) return pending;
  const skip = (one: Pending, why: string, id?: string) =>
    tell(target, carried, one.candidate, 'skipped', {
      notes: [why],
      row: id === undefined && target.source === null ? one.row : { id },
    });
  let left = target.source === null ? await withoutStored(target, carried, pending, skip) : pending;
  if (target.source !== null) {
    const imported = await findImported(
      target,
      carried.name,
      left.map(({ candidate }) => candidate.sourceId),
    );
    left = onlyFirst(
      left,
      ({ candidate }) => candidate.sourceId,
      imported,
      (one, id) => skip(one, 'was imported before', id),
    );
  }
  const { once } = carried;
  if (!once || left.length === 0) return left;
  const taken = await findTaken(
    target,
    carried,
    once,
    left.map(({ row }) => row),
  );
  return onlyFirst(
    left,
    ({ row }) => keyOf({ key: once }, row),
    taken,
    (one) => skip(one, `one with the same ${once.join(' and ')} is there already`),
  );
}

async function withoutStored(
  target: Target,
  carried: Carried,
  pending: Pending[],
  skip: (one: Pending, why: string) => void,
) {
  const stored = await findTaken(
    target,
    carried,
    carried.key,
    pending.map(({ row }) => row),
  );
  return onlyFirst(
    pending,
    ({ row }) => keyOf(carried, row),
    stored,
    (one) => skip(one, 'is there already'),
  );
}

/** Those whose key nobody had before, neither among `known` nor among themselves. */
function onlyFirst<Known>(
  pending: readonly Pending[],
  keyOfOne: (one: Pending) => string,
  known: ReadonlySet<string> | ReadonlyMap<string, Known>,
  skip: (one: Pending, found: Known | undefined) => void,
): Pending[] {
  const seen = new Set<string>();
  return pending.filter((one) => {
    const key = keyOfOne(one);
    if (!known.has(key) && !seen.has(key)) return seen.add(key);
    skip(one, known instanceof Map ? known.get(key) : undefined);
    return false;
  });
}

/** Leaves out what belongs to a record that is not there, or no longer as it was. */
async function withoutOrphans(target: Target, carried: Carried, pending: Pending[]): Promise<Pending[]> {
  const { parent } = carried;
  const isCertain = target.dryRun && isPart(carried);
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
      tell(target, carried, candidate, isPart(carried) ? 'skipped' : 'refused', {
        notes: [`${parent.by}: the record that it belongs to is not there`],
      });
    return isThere;
  });
}

function withoutLacking(
  target: Target,
  carried: Carried,
  pending: Pending[],
  whatLacks: (row: Row) => string | null,
) {
  return pending.filter(({ candidate, row }) => {
    const why = whatLacks(row);
    if (why !== null) tell(target, carried, candidate, 'refused', { notes: [why] });
    return why === null;
  });
}

async function noteSlugs(target: Target, carried: Carried, pending: readonly Pending[]) {
  const asked = new Map(pending.map(({ row }) => [row, row.slug]));
  const changed = await giveSlugs(
    target,
    carried,
    pending.map(({ row }) => row),
  );
  for (const { row, notes } of pending)
    if (changed.has(row) && asked.get(row))
      notes.push(`slug: ${asked.get(row)} is taken, it has ${row.slug}`);
}

/** Stores rows in a transaction; when PostgreSQL refuses them, each half by itself, down to the one that it is about. */
async function store(
  target: Target,
  carried: Carried,
  pending: readonly Pending[],
  alsoStore: Besides['alsoStore'],
): Promise<readonly Pending[]> {
  if (pending.length === 0) return [];
  try {
    const rows = pending.map(({ row }) => row);
    const inserted = await target.change(async (em) => {
      if ('slug' in carried.columns) await lockSlugs(em, target, carried, rows);
      const keys = await insertRows(em, carried, target.siteId, rows);
      const isNew = (row: Row) => keys.has(keyOf(carried, row));
      if (isRecord(carried)) await forgetLaterWrites(em, carried, target.siteId, rows.filter(isNew));
      await alsoStore?.(
        em,
        pending.filter(({ row }) => isNew(row)),
      );
      return keys;
    });
    return pending.filter((one) => {
      const isStored = inserted.has(keyOf(carried, one.row));
      if (!isStored)
        tell(target, carried, one.candidate, 'refused', {
          notes: ['somebody wrote its like meanwhile: import again'],
        });
      return isStored;
    });
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    const half = Math.ceil(pending.length / 2);
    if (half < pending.length)
      return [
        ...(await store(target, carried, pending.slice(0, half), alsoStore)),
        ...(await store(target, carried, pending.slice(half), alsoStore)),
      ];
    for (const { candidate } of pending)
      tell(target, carried, candidate, 'refused', { notes: ['the database can not hold it'] });
    return [];
  }
}

/** What a dry run would have stored, as far as others belong to it. */
function remember({ planned }: Target, { table, parent, columns }: Carried, stored: readonly Pending[]) {
  if (!('id' in columns) || parent?.by === 'record_id' || !wholes.has(table)) return;
  const ids = planned.get(table) ?? new Set();
  for (const { row } of stored) ids.add(String(row.id));
  planned.set(table, ids);
}

const wholes: ReadonlySet<string> = new Set(['courses', 'modules']);
