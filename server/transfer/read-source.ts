import { randomBytes } from 'node:crypto';
import { storableText, storableTextOf } from '../../shared/contract/fields.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import {
  type ForeignRecord,
  type ForeignSite,
  joinNotes,
  openSource,
  rethrown,
} from '../../shared/importers/index.ts';
import {
  minuteOf,
  rewriteReferences,
  scheduleNote,
  withOldLists,
} from '../../shared/importers/read-records.ts';
import { ApiError } from '../api/api-error.ts';
import type { ArchiveTable } from './archive/archive-columns.ts';
import { archiveTableOrPosts, maxSourceLength, unsetOf } from './archive/archive-tables.ts';
import { checkBatch } from './check-batch.ts';
import { addressed, type FoundRecord, type PlannedRecord, type WantedFile } from './import-plan.ts';
import type { Candidate } from './import-target.ts';
import { type CheckedRecords, type PlacingInput, type ReadPart, refused, type SourceInput } from './jobs.ts';
import { beginningOf } from './match-imported-texts.ts';
import { findParts, fragmentIn, placeRecord } from './rewrite-record.ts';

// Both passes of an import run on threads, so that no file can block or crash the server.

/** Maximum size of a batch: number of records, and characters of their values. */
const max = { records: 200, characters: 2 * 1024 * 1024 } as const;

/** Maximum length of a location, and of the part of a title that becomes a slug, in characters. */
const maxLength = { place: 2_000, title: 500 } as const;

/**
 * First pass: yields the source, then the records without their bodies, then the questions for the owner. Throws
 * `validation_failed` for a file that cannot be read.
 */
export const findRecords = (input: SourceInput) => rethrown(recordsIn(input), refused);

async function* recordsIn({ isFetching, ...input }: SourceInput): AsyncGenerator<ReadPart> {
  const site = await openSite(input);
  yield {
    source: storableTextOf(site.source).slice(0, maxSourceLength.source),
    named: site.named,
    records: [],
  };
  const files = new Set(site.tree?.files.map(({ name }) => name));
  let count = 0;
  for await (const batch of inBatches(site.records())) {
    count += batch.length;
    if (count > input.max.records)
      throw new ApiError(
        'validation_failed',
        `the file has more than ${input.max.records} records: import it in parts`,
      );
    // CPU time is limited per item, so empty batches are yielded, too.
    yield { records: batch.flatMap((record) => foundIn(site, record, { files, isFetching })) };
  }
  yield { records: [], questions: site.questions?.() ?? [] };
}

/**
 * Second pass: yields the records in the form in which they are stored, validated against their contracts. Throws
 * `validation_failed` for a file that cannot be read.
 */
export const placeRecords = (input: PlacingInput) => rethrown(checkedRecords(input), refused);

async function* checkedRecords({ plan, files, ...input }: PlacingInput): AsyncGenerator<CheckedRecords> {
  const site = await openSite(input);
  const here = { site, plan, files, parts: new Map<PlannedRecord, ReadonlyMap<string, string>>() };
  // Linked headings are collected first, since a record may link to a later one.
  if ([...plan.records.values()].some(({ fragments }) => fragments))
    for await (const batch of inBatches(site.records())) {
      for (const record of batch) findParts(record, here);
      // CPU time is limited per item.
      yield { collection: batch[0]?.collection ?? '', count: 0, checked: { sound: [], refused: [] } };
    }
  const placed = async function* () {
    for await (const record of site.records())
      if (record.values) yield placeRecord(record, here);
      else if (!record.places?.some((position) => files.has(position))) yield record;
  };
  for await (const batch of inBatches(placed())) {
    const collection = batch[0]?.collection ?? '';
    const table = archiveTableOrPosts(collection);
    const candidates = batch.map((record) => candidateOf(table, input.now, record));
    yield { collection, count: batch.length, checked: checkBatch(table, candidates) };
  }
}

type OpenedInput = Omit<SourceInput, 'isFetching'>;

async function openSite(input: OpenedInput): Promise<ForeignSite> {
  const site = await openSource(input);
  const records = input.mode === 'drafts' ? () => draftsOf(site.records()) : site.records;
  return { ...site, records: () => withOldLists(records()) };
}

/** Turns public and scheduled posts and pages into drafts. A post keeps its date for when it is published. */
async function* draftsOf(records: AsyncIterable<ForeignRecord>): AsyncGenerator<ForeignRecord> {
  for await (const record of records) {
    const { values, notes = [], collection } = record;
    const isText = Object.hasOwn(addressed, collection);
    if (!values || !isText || (values.is_draft === true && !values.publish_at)) yield record;
    else {
      const at = typeof values.publish_at === 'string' ? minuteOf(new Date(values.publish_at)) : null;
      const kept = notes.filter((note) => at === null || note !== scheduleNote(at));
      yield {
        ...record,
        values: { ...values, is_draft: true, publish_at: null },
        notes: at === null ? kept : [...kept, `Imported as a draft: its publication was scheduled for ${at}`],
      };
    }
  }
}

/** Groups consecutive records of one collection. */
async function* inBatches(records: AsyncIterable<ForeignRecord>): AsyncGenerator<ForeignRecord[]> {
  let batch: ForeignRecord[] = [];
  let characters = 0;
  for await (const record of records) {
    const isFull = batch.length >= max.records || characters >= max.characters;
    if (batch.length > 0 && (isFull || batch[0]?.collection !== record.collection)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(record);
    characters += charactersOf(record);
  }
  if (batch.length > 0) yield batch;
}

const charactersOf = ({ values }: ForeignRecord): number =>
  Object.values(values ?? {}).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );

/** Returns a record without its body, or nothing if it is refused or has no page. */
function foundIn(
  site: ForeignSite,
  record: ForeignRecord,
  { files, isFetching }: { files: ReadonlySet<string>; isFetching: boolean },
): FoundRecord[] {
  const { collection, sourceId, values, places: positions = [], addresses = [], cover, coverText } = record;
  if (values === null || !Object.hasOwn(addressed, collection) || faultOf(sourceId) !== null) return [];
  const wanted = new Map<string, WantedFile>();
  const look = (target: string, isByName: boolean, said?: WantedFile['said']) => {
    for (const position of site.placesOf({ target, isByName }, record)) {
      const address = files.has(position) ? null : (site.pictureAt?.(position) ?? undefined);
      if (address === undefined) continue;
      if (isStorablePath(position) && (address === null || isFetching) && !wanted.has(position))
        wanted.set(position, { address, said });
      return true;
    }
    return false;
  };
  const partLinks: FoundRecord['partLinks'][number][] = [];
  if (cover) look(cover, false, coverText);
  rewriteReferences(String(values.content ?? ''), site.form, (reference) => {
    const { target, isByName } = reference;
    const fragment = fragmentIn(reference, site);
    // A record is identified by its file or by a path, which begins with a slash.
    const isKnown = (position: string) =>
      (position.startsWith('/') || files.has(position)) && isStorablePath(position);
    const linked = fragment === '' ? [] : site.placesOf({ target, isByName }, record).filter(isKnown);
    if (linked.length > 0 && isStorablePath(fragment)) partLinks.push({ places: linked, fragment });
    // Only the first size of a responsive image is imported.
    return look(target, isByName) ? target : null;
  });
  return [
    {
      ...{ collection, sourceId, partLinks, wanted: [...wanted] },
      title: String(values.title ?? '').slice(0, maxLength.title),
      beginning: site.hasSharedIds ? beginningOf(site, values.title, values.content) : undefined,
      slug: typeof values.slug === 'string' ? storableTextOf(values.slug) : values.slug,
      places: positions.filter(isStorablePath),
      addresses: addresses.filter(isStorablePath),
    },
  ];
}

const isStorablePath = (position: string) => position.length <= maxLength.place && storableText(position);

/** Returns the reason why a source ID cannot be stored; null for a valid one. */
function faultOf(sourceId: string): string | null {
  if (sourceId.length > maxSourceLength.id)
    return `Not imported: its ID is longer than ${maxSourceLength.id} characters`;
  return storableText(sourceId)
    ? null
    : 'Not imported: its ID contains a NUL character or an incomplete Unicode character';
}

function candidateOf(
  { columns }: ArchiveTable,
  now: Date,
  { collection, sourceId, title, values, created, updated, notes = [], isExcluded = false }: ForeignRecord,
): Candidate {
  const about = { title: title.slice(0, 500), isExcluded, reason: joinNotes(notes) };
  const fault = faultOf(sourceId);
  if (fault !== null)
    return {
      ...about,
      sourceId: storableTextOf(sourceId).slice(0, maxSourceLength.id),
      row: null,
      reason: fault,
    };
  if (!values) return { ...about, sourceId, row: null };
  // If the old system's clock was ahead, a future date would exclude the person from mailings until then.
  const notLater = (timestamp: Date) => (timestamp > now ? now : timestamp);
  const madeAt = notLater(created ?? now);
  const changedAt = notLater(updated ?? madeAt);
  const timestamps = { created: madeAt.toISOString(), updated: changedAt.toISOString() };
  const row: Record<string, unknown> = {
    ...unsetOf(collection),
    id: newRecordId(hasIdTime(madeAt) ? madeAt : now, randomBytes),
    ...timestamps,
    revision: 1,
    publish_at: null,
    last_seen_at: null,
    ...values,
  };
  // Values for which the collection has no column are dropped.
  return {
    ...about,
    sourceId,
    row: Object.fromEntries(Object.entries(row).filter(([name]) => name in columns)),
  };
}

/** True if a record's ID can begin with this time: IDs have the milliseconds since 1970 in eight base-36 digits. */
const hasIdTime = (timestamp: Date) => timestamp.getTime() >= 0 && timestamp.getTime() < 36 ** 8;
