import { sql } from 'kysely';
import type { ImportMax } from '../../shared/contract/features/import-export.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { pageOf } from '../../shared/contract/site-paths.ts';
import { ApiError } from '../api/api-error.ts';
import { getArchiveTable } from './archive/archive-tables.ts';
import { giveSlugs } from './free-slugs.ts';
import { addressed, type FoundRecord, keyOf, type Plan, type PlannedRecord } from './import-plan.ts';
import { createRedirectPlan } from './import-redirects.ts';
import type { Destination, ImportTarget } from './import-target.ts';
import type { ReadPart } from './jobs.ts';
import type { Row } from './site-rows.ts';
import { findImported } from './site-rows.ts';

/** Empty list that most records share, to save memory: there may be 100,000 records. */
const none: readonly string[] = [];

/**
 * Reads all records of an import and plans their slugs, redirects and files. Throws `validation_failed` if the file
 * exceeds a limit, and the reason of the import's signal after an abort.
 */
export async function planImport(target: ImportTarget, parts: AsyncIterable<ReadPart>): Promise<Plan> {
  const plan: Plan = { records: new Map(), places: new Map(), wanted: new Map(), questions: [] };
  const planRedirects = await createRedirectPlan(target);
  const used = new Map<string, Set<unknown>>();
  const count = createCount(target.max);
  const partLinks: FoundRecord['partLinks'][number][] = [];
  for await (const { records: taken, questions = [] } of parts) {
    target.signal.throwIfAborted();
    plan.questions.push(...questions);
    const collection = taken[0]?.collection ?? '';
    const name = addressed[collection];
    if (name === undefined) continue;
    count(taken);
    const ofCollection = used.get(collection) ?? new Set();
    used.set(collection, ofCollection);
    const imported = await addressesOfImported(target, { collection, name }, taken);
    const isNew = new Map<FoundRecord, PlannedRecord>();
    for (const record of taken) {
      const key = keyOf(record);
      const known = plan.records.get(key);
      const planned = known ?? {
        address: imported.get(record.sourceId) ?? null,
        redirects: none,
        notes: none,
      };
      if (!known && !imported.has(record.sourceId)) isNew.set(record, planned);
      plan.records.set(key, planned);
      // Two records may have had the same location at different times. Links point to the first one.
      for (const position of record.places)
        if (!plan.places.has(position)) plan.places.set(position, planned);
    }
    await planSlugs({ target, table: getArchiveTable(collection) }, { name, used: ofCollection }, isNew);
    for (const [{ addresses, wanted, partLinks: own }, planned] of isNew) {
      const { paths, note } = planRedirects(addresses, planned.address);
      if (paths.length > 0) planned.redirects = paths;
      if (note !== null) planned.notes = [...planned.notes, note];
      want(plan, wanted);
      partLinks.push(...own.slice(0, maxWanted - partLinks.length));
    }
  }
  for (const { places: positions, fragment } of partLinks) {
    const linked = positions.map((position) => plan.places.get(position)).find((found) => found?.address);
    if (!linked) continue;
    linked.fragments ??= new Set();
    linked.fragments.add(fragment);
  }
  for (const position of plan.places.keys()) plan.wanted.delete(position);
  return plan;
}

/** Counts what a plan keeps in memory. Throws `validation_failed` above the limit. */
function createCount({ remembered, characters: maxCharacters }: ImportMax) {
  let [records, characters] = [0, 0];
  return (taken: readonly FoundRecord[]) => {
    records += taken.length;
    if (records > remembered)
      throw new ApiError(
        'validation_failed',
        `the file has more than ${remembered} posts and pages: import it in parts`,
      );
    for (const { sourceId, places: positions, addresses, wanted, partLinks } of taken)
      for (const text of [
        ...[sourceId, ...positions, ...addresses, ...wanted.flatMap(textsOf)],
        ...partLinks.flatMap((link) => [link.fragment, ...link.places]),
      ])
        characters += text?.length ?? 0;
    if (characters > maxCharacters)
      throw new ApiError(
        'validation_failed',
        `the ids and addresses in the file have more than ${maxCharacters} characters: import it in parts`,
      );
  };
}

const textsOf = ([position, { address, said }]: FoundRecord['wanted'][number]) => [
  ...[position, address, said?.alt, said?.caption],
];

/** Maximum number of files, and of links to headings of records, in one import. Both are kept in memory. */
const maxWanted = 100_000;

function want({ wanted }: Plan, positions: FoundRecord['wanted']) {
  for (const [position, file] of positions) {
    const known = wanted.get(position);
    if (known ? file.said && !known.said : wanted.size < maxWanted) wanted.set(position, file);
  }
}

/** Finds the current addresses of records that were imported before, by source ID; null for a deleted record. */
async function addressesOfImported(
  target: ImportTarget,
  { collection, name }: { collection: string; name: string },
  records: readonly FoundRecord[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = await findImported(
    target,
    collection,
    records.map(({ sourceId }) => sourceId),
  );
  if (found.size === 0) return new Map();
  const imported = await withConflicts(target, collection, records, found);
  const { table } = getArchiveTable(collection);
  const { rows } = await sql<{ id: string; slug: string }>`
    select id, slug from ${sql.table(table)}
    where site_id = ${target.siteId} and id = any(${[...imported.values()].filter((id) => id !== null)}::text[])`.execute(
    target.deps.database.em.getKysely(),
  );
  const addresses = new Map(rows.map(({ id, slug }) => [id, pageOf(name, slug)]));
  return new Map([...imported].map(([sourceId, id]) => [sourceId, addresses.get(id ?? '') ?? null]));
}

/**
 * Chooses the imported record for each source ID: one with the same text, or any if its text is unknown. Otherwise the
 * result is null, and a conflict is recorded.
 */
async function withConflicts(
  target: ImportTarget,
  collection: string,
  records: readonly FoundRecord[],
  found: Awaited<ReturnType<typeof findImported>>,
): Promise<ReadonlyMap<string, string | null>> {
  const chosen = new Map<string, string | null>(
    [...found].map(([sourceId, [first]]) => [sourceId, first.id]),
  );
  if (!records.some(({ beginning }) => beginning)) return chosen;
  // Loaded on demand, because few servers import anything.
  const { findImportedTexts, isSameText } = await import('./match-imported-texts.ts');
  const ids = [...found.values()].flatMap((each) => each.map(({ id }) => id));
  const texts = await findImportedTexts(target, collection, ids);
  for (const { sourceId, beginning } of records) {
    const before = found.get(sourceId);
    if (!before || !beginning) continue;
    const same = before.find(({ id }) => {
      const text = texts.get(id);
      return text === undefined || isSameText(text, beginning);
    });
    chosen.set(sourceId, same?.id ?? null);
    if (!same)
      target.conflicts.set(
        keyOf({ collection, sourceId }),
        `Not imported: a different text was imported before as ${before[0].sourceId} (record ${before[0].id})`,
      );
  }
  return chosen;
}

/** Assigns slugs before anything is stored, so that bodies can link to records that come later. */
async function planSlugs(
  into: Destination,
  { name, used }: { name: string; used: Set<unknown> },
  isNew: ReadonlyMap<FoundRecord, PlannedRecord>,
) {
  if (isNew.size === 0) return;
  const { clock, randomBytes } = into.target.deps;
  const rows = new Map<Row, PlannedRecord>();
  for (const [{ title, slug }, planned] of isNew)
    rows.set({ id: newRecordId(clock.now(), randomBytes), title, slug }, planned);
  const renamed = await giveSlugs(into, [...rows.keys()], used);
  for (const [row, planned] of rows) {
    planned.slug = String(row.slug);
    planned.address = pageOf(name, planned.slug);
    const note = renamed.get(row);
    if (note !== undefined) planned.notes = [note];
  }
}
