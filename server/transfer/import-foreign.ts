import { sql } from 'kysely';
import { type ImportQuestion, importExport } from '../../shared/contract/features/import-export.ts';
import type { Actor } from '../../shared/contract/history.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Transaction } from '../../shared/db/config.ts';
import {
  around,
  commonFolder,
  type NamedFiles,
  referenceTo,
  type SourceFile,
  type SourceKind,
  topOf,
  treeIn,
} from '../../shared/importers/index.ts';
import { ApiError } from '../api/api-error.ts';
import { archiveTableOrPosts, getArchiveTable, unsetOf } from './archive/archive-tables.ts';
import type { ImportResult } from './archive/import-archive.ts';
import { importImages } from './import-images.ts';
import { keyOf, type Plan } from './import-plan.ts';
import { leadOn, redirectsInOneStep } from './import-redirects.ts';
import { type ImportDeps, type ImportOptions, type ImportTarget, targetOf } from './import-target.ts';
import { findRecordsJob, placeRecordsJob } from './jobs.ts';
import { planImport } from './plan-import.ts';
import { beginHistories, insertRows, type Row } from './site-rows.ts';
import type { PendingRow } from './skip-rows.ts';
import { type BatchOptions, storeBatch } from './store-batch.ts';

/**
 * Imports an export of another system into an existing site. The whole file is read before anything changes. Files are
 * stored next, then the records that link to them. Records that were imported before are skipped by their source IDs.
 * Throws `validation_failed` for a file that is unreadable or exceeds a limit, and for unanswered questions. Throws
 * `transfer_busy` if another import stored the same records, and the reason of `signal` after an abort.
 */
export async function importForeign(
  deps: ImportDeps,
  file: SourceFile,
  kind: SourceKind,
  { siteId, actor, mode = 'as-marked', ...options }: ImportOptions & { siteId: string; actor: Actor },
): Promise<ImportResult> {
  const { answers, max = importExport.max } = options;
  const input = { file: referenceTo(file), kind, mode, now: deps.clock.now(), answers, max };
  const isFetching = options.fetchImages !== undefined;
  const signal = options.signal ?? new AbortController().signal;
  await using read = deps.threadPool.stream(siteId, findRecordsJob, { ...input, isFetching }, signal);
  const first = await read.next();
  const { source = kind, named } = first.value ?? {};
  const idsOf = named ? await formerIds({ deps, siteId }, source, named) : undefined;
  const target = targetOf(deps, { siteId, source, ...(idsOf && { idsOf }) }, options);
  const plan = await planImport(target, read);
  if (!areAnswered(plan.questions, options)) return { siteId, counts: target.counts };
  const files = await importImages(target, plan.wanted.size > 0 ? await treeIn(file, kind, max) : null, plan);
  const { wanted: _, questions: __, ...known } = plan;
  const placing = deps.threadPool.stream(siteId, placeRecordsJob, { ...input, plan: known, files }, signal);
  const optionsByCollection: Record<string, BatchOptions> = { redirects: redirectsInOneStep(target) };
  let done = 0;
  for await (const { collection, count, checked } of placing) {
    if (count === 0) continue;
    const table = archiveTableOrPosts(collection);
    await storeBatch({ target, table: { ...table, name: collection } }, checked, {
      ...optionsByCollection[collection],
      async alsoStore(em, stored) {
        await remember(em, { target, actor, plan, collection }, stored);
        await optionsByCollection[collection]?.alsoStore?.(em, stored);
      },
    });
    done += count;
    target.onProgress(collection, done);
  }
  return { siteId, counts: target.counts };
}

/**
 * Returns true if all questions have answers, and false in a dry run without them. Throws `validation_failed` for an
 * answer without its question, and for an unanswered question of an import.
 */
export function areAnswered(
  questions: readonly ImportQuestion[],
  { answers = {}, dryRun = false, onQuestions }: ImportOptions,
): boolean {
  const isOpen = ({ id }: ImportQuestion) => !Object.hasOwn(answers, id);
  const ids = new Set(questions.map(({ id }) => id));
  const open = questions.filter(isOpen);
  if (questions.length > 0 && (dryRun || open.length > 0)) onQuestions?.(questions);
  const wrong = [
    ...Object.keys(answers)
      .filter((id) => !ids.has(id))
      .map((id) => ({ path: `answers.${id}`, message: 'the file has no question with this id' })),
    ...(dryRun ? [] : open).map(({ id, column }) => ({
      path: `answers.${id}`,
      message: `the column "${column}" may decide who gets mail: list the values that mean consent, or ignore it`,
    })),
  ];
  if (wrong.length > 0)
    throw new ApiError(
      'validation_failed',
      wrong.map(({ path, message }) => `${path}: ${message}`).join('; '),
      { fields: wrong },
    );
  return open.length === 0;
}

/**
 * Stores the source IDs of new records and their redirects, and starts their histories. Throws `transfer_busy` if
 * another import stored the same records.
 */
async function remember(
  em: Transaction,
  { target, collection, actor, plan }: { target: ImportTarget; collection: string; actor: Actor; plan: Plan },
  stored: readonly PendingRow[],
) {
  if (stored.length === 0) return;
  const { siteId, source, deps } = target;
  const at = deps.clock.now();
  const sources = stored.map(({ candidate, row }) => ({
    source,
    collection,
    source_id: candidate.sourceId,
    record_id: row.id,
    created: at.toISOString(),
  }));
  const remembered = await insertRows({ em, siteId }, getArchiveTable('imported_records'), sources);
  // Another import has stored some of these records since they were looked up. The error rolls the batch back, so
  // that none is stored twice.
  if (remembered.size < sources.length)
    throw new ApiError(
      'transfer_busy',
      'another import of the same records is running: try again when it has ended',
    );
  const timestamps = { created: at.toISOString(), updated: at.toISOString() };
  // These redirects point to a record, so they follow it, and apply only while visitors can see it.
  const redirects = stored.flatMap(({ candidate: { sourceId }, row }) =>
    (plan.records.get(keyOf({ collection, sourceId }))?.redirects ?? []).map((from) => ({
      ...{ id: newRecordId(at, deps.randomBytes), from, to: '', permanent: true },
      ...{ collection, record_id: String(row.id), ...timestamps },
    })),
  );
  if (redirects.length > 0) {
    const ids = await insertRows({ em, siteId }, getArchiveTable('redirects'), redirects);
    await leadOn(em, target, [...ids]);
  }
  const unset = unsetOf(collection);
  if (!unset) return;
  const isUnset = (row: Row, name: string) => JSON.stringify(row[name]) === JSON.stringify(unset[name]);
  const begun = stored.map(({ row }) => ({
    id: row.id,
    changed: Object.keys(unset).filter((name) => !isUnset(row, name)),
  }));
  await beginHistories(em, { siteId, collection, actor, at }, begun);
}

/** Maximum number of earlier imports to look through, and of folders that they suggest. */
const maxFormer = { batches: 1_000, folders: 100 } as const;

/**
 * Returns a function that lists the IDs under which a file may have been imported before. Its folder may have had other
 * parent folders then, or none.
 */
async function formerIds(
  { deps, siteId }: Pick<ImportTarget, 'deps' | 'siteId'>,
  source: string,
  { within, tops }: NamedFiles,
): Promise<(sourceId: string) => string[]> {
  // Records with the same creation time come from the same folder.
  const { rows } = await sql<{ first: string; last: string }>`
    select min(source_id collate "C") as first, max(source_id collate "C") as last from imported_records
    where site_id = ${siteId} and source = ${source} and collection <> 'redirects'
    group by created order by created desc limit ${maxFormer.batches}`.execute(deps.database.em.getKysely());
  const former = new Set(['', ...rows.flatMap(({ first, last }) => around(commonFolder([first, last])))]);
  const possible = [...former]
    .map((folder) => folder.normalize('NFC'))
    .filter((folder) => folder === '' || !tops.has(topOf(folder)))
    .slice(0, maxFormer.folders);
  return (sourceId) => {
    const ids = [sourceId, ...possible.map((folder) => `${folder}${sourceId.slice(within.length)}`)];
    // Earlier versions stored decomposed names (NFD), as macOS writes them.
    return [...new Set([...ids, ...ids.map((id) => id.normalize('NFD'))])];
  };
}
