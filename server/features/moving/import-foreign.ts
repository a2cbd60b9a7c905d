import { unsetValues } from '../../../shared/contract/fields.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { type Carried, getCarried, longestSource, required } from './carried.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import type { Imported } from './import-archive.ts';
import { importPictures, type TakenFiles } from './import-pictures.ts';
import { insertRows } from './insert-rows.ts';
import { placeRecord } from './place-record.ts';
import { type Plan, planImport } from './plan-import.ts';
import { checkBatch, type Pending, storeBatch } from './store-batch.ts';
import { type Candidate, type ImportOptions, type MovingDeps, type Target, targetOf } from './target.ts';

/** Records that are stored together, at most so many and about so many characters. */
const most = { records: 200, characters: 2 * 1024 * 1024 } as const;

/**
 * Imports what another system gave away into a site that is there. All of it is read before anything changes; then come the
 * files that it shows, and its records, which point at where these are here. What was imported before is skipped by its id
 * in that system, whatever became of it since.
 */
export async function importForeign(
  deps: MovingDeps,
  site: ForeignSite,
  { siteId, actor, ...options }: ImportOptions & { siteId: string; actor: Actor },
): Promise<Imported> {
  const target = targetOf(deps, siteId, site.source.slice(0, longestSource.source), options);
  const plan = await planImport(target, site, inBatches(site.records()));
  const files = await importPictures(target, site, plan);
  let done = 0;
  for await (const batch of inBatches(placed(site, plan, files))) {
    const [first] = batch;
    if (!first) continue;
    const table = getCarried(first.collection) ?? posts;
    const checked = checkBatch(
      table,
      batch.map((record) => candidateOf(target, table, record)),
    );
    await storeBatch(target, { ...table, name: first.collection }, checked, {
      alsoStore: (em, stored) => remember(em, target, { collection: first.collection, actor }, stored),
    });
    done += batch.length;
    target.onProgress(first.collection, done);
  }
  return { siteId, counts: target.counts };
}

/** Records as they are stored here, without the files that were told of before. */
async function* placed(site: ForeignSite, plan: Plan, files: TakenFiles): AsyncGenerator<ForeignRecord> {
  for await (const record of site.records())
    if (record.values) yield placeRecord(site, plan, files, record);
    else if (!record.places?.some((place) => files.has(place))) yield record;
}

/** What is said of records that become nothing here needs some table to stand under. */
const posts = required('posts');

/** Records of one collection that come after each other. */
async function* inBatches(records: AsyncIterable<ForeignRecord>): AsyncGenerator<ForeignRecord[]> {
  let batch: ForeignRecord[] = [];
  let characters = 0;
  for await (const record of records) {
    const isFull = batch.length >= most.records || characters >= most.characters;
    if (batch.length > 0 && (isFull || batch[0]?.collection !== record.collection)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(record);
    characters += String(record.values?.content ?? '').length;
  }
  if (batch.length > 0) yield batch;
}

function candidateOf(
  { deps }: Target,
  { columns }: Carried,
  { collection, sourceId, title, values, created, updated, notes = [], isLeftOut = false }: ForeignRecord,
): Candidate {
  const about = { title: title.slice(0, 500), isLeftOut, reason: notes.join('; ') };
  if (sourceId.length > longestSource.id)
    return {
      ...about,
      sourceId: sourceId.slice(0, longestSource.id),
      row: null,
      reason: 'its id is too long',
    };
  if (!values) return { ...about, sourceId, row: null };
  const now = deps.clock.now();
  const madeAt = created ?? now;
  const moments = { created: madeAt.toISOString(), updated: (updated ?? madeAt).toISOString() };
  const row = {
    ...unsetOf(collection),
    id: newRecordId(hasIdTime(madeAt) ? madeAt : now, deps.randomBytes),
    ...moments,
    revision: 1,
    publish_at: null,
    last_seen_at: null,
    ...values,
  };
  // What the collection has no column for was never asked for by the importer.
  return {
    ...about,
    sourceId,
    row: Object.fromEntries(Object.entries(row).filter(([name]) => name in columns)),
  };
}

/** Ids begin with the time in eight digits, from 1970 on. */
const hasIdTime = (moment: Date) => moment.getTime() >= 0 && moment.getTime() < 36 ** 8;

function unsetOf(collection: string): Record<string, unknown> {
  const resource = Object.values(allResources).find((each) => each.collection === collection);
  return resource ? unsetValues(resource.fields) : {};
}

/** Notes what records were made of, and begins the history of those that have one. */
async function remember(
  em: Transaction,
  { siteId, source, deps }: Target,
  { collection, actor }: { collection: string; actor: Actor },
  stored: readonly Pending[],
) {
  if (stored.length === 0) return;
  const created = deps.clock.now().toISOString();
  const sources = stored.map(({ candidate, row }) => ({
    source,
    collection,
    source_id: candidate.sourceId,
    record_id: row.id,
    created,
  }));
  const remembered = await insertRows(em, required('imported_records'), siteId, sources);
  // The others were imported after they had been looked for. All of the batch is taken back, or they would be here twice.
  if (remembered.size < sources.length)
    throw new ApiError(
      'moving_busy',
      'the same is being imported by somebody else: wait until that has ended',
    );
  const history = getCarried(`${collection}.history`);
  if (!history) return;
  const unset = unsetOf(collection);
  const first = stored.map(({ row }) => ({
    record_id: row.id,
    revision: 1,
    created,
    actor,
    changed: Object.keys(unset).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(unset[name])),
    previous: {},
  }));
  await insertRows(em, history, siteId, first);
}
