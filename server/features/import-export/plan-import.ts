import { sql } from 'kysely';
import { importExport } from '../../../shared/contract/features/import-export.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { pageOf } from '../../../shared/contract/site-paths.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { required } from './archive/carried.ts';
import { findImported } from './found-rows.ts';
import { giveSlugs } from './free-slugs.ts';
import type { Row } from './insert-rows.ts';
import { type FoundRecord, keyOf, type Plan } from './plan.ts';
import { createRedirectPlan } from './plan-redirects.ts';
import type { ImportTarget } from './target.ts';

/** Collections whose records have an address of their own, and what one of them is called. */
const addressed: Readonly<Record<string, string>> = { posts: 'post', pages: 'page' };

/** Reads all that is to be imported. Throws what makes the file none. */
export async function planImport(
  target: ImportTarget,
  parts: AsyncIterable<{ records: readonly FoundRecord[] }>,
): Promise<Plan> {
  const plan: Plan = {
    slugs: new Map(),
    addresses: new Map(),
    places: new Map(),
    redirects: new Map(),
    wanted: new Map(),
  };
  const planRedirects = await createRedirectPlan(target);
  const used = new Map<string, Set<unknown>>();
  const count = createCount();
  for await (const { records: taken } of parts) {
    target.signal.throwIfAborted();
    const collection = taken[0]?.collection ?? '';
    const name = addressed[collection];
    if (name === undefined) continue;
    count(taken);
    const isNew = await withoutImported(target, { plan, collection, name }, taken);
    const ofCollection = used.get(collection) ?? new Set();
    used.set(collection, ofCollection);
    await planSlugs(target, { plan, name, used: ofCollection }, isNew);
    for (const record of taken) for (const place of record.places) addPlace(plan, place, record);
    for (const record of isNew) {
      const key = keyOf(record);
      plan.redirects.set(key, planRedirects(record.addresses, plan.addresses.get(key) ?? null));
      want(plan, record.wanted);
    }
  }
  for (const place of plan.places.keys()) plan.wanted.delete(place);
  return plan;
}

/** Counts what a plan remembers. Throws `validation_failed` for more than a server can. */
function createCount() {
  const { remembered, characters: mostCharacters } = importExport.most;
  let [records, characters] = [0, 0];
  return (taken: readonly FoundRecord[]) => {
    records += taken.length;
    if (records > remembered)
      throw new ApiError(
        'validation_failed',
        `the file has more than ${remembered} posts and pages: import it in parts`,
      );
    for (const { sourceId, places, addresses, wanted } of taken)
      for (const text of [sourceId, ...places, ...addresses, ...wanted.flat()])
        characters += text?.length ?? 0;
    if (characters > mostCharacters)
      throw new ApiError(
        'validation_failed',
        `the ids and addresses in the file have more than ${mostCharacters} characters: import it in parts`,
      );
  };
}

/** Most files and pictures that one import brings along: it remembers them. */
const mostWanted = 100_000;

function want({ wanted }: Plan, places: FoundRecord['wanted']) {
  for (const [place, address] of places) if (wanted.size < mostWanted) wanted.set(place, address);
}

/** Two records may have been at one place, at different times: the first one is found there. */
function addPlace({ places }: Plan, place: string, record: FoundRecord) {
  if (!places.has(place)) places.set(place, keyOf(record));
}

/** Those that are not here yet. The others are where they are now. */
async function withoutImported(
  target: ImportTarget,
  { plan: { addresses }, collection, name }: { plan: Plan; collection: string; name: string },
  records: readonly FoundRecord[],
): Promise<FoundRecord[]> {
  const imported = await findImported(
    target,
    collection,
    records.map(({ sourceId }) => sourceId),
  );
  if (imported.size > 0) {
    const { table } = required(collection);
    const { rows } = await sql<{ id: string; slug: string }>`
      select id, slug from ${sql.table(table)}
      where site_id = ${target.siteId} and id = any(${[...imported.values()]}::text[])`.execute(
      target.deps.database.em.getKysely(),
    );
    const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
    for (const [sourceId, id] of imported) {
      const address = pageOf(name, slugs.get(id) ?? '');
      if (slugs.has(id) && address) addresses.set(keyOf({ collection, sourceId }), address);
    }
  }
  return records.filter(({ sourceId }) => !imported.has(sourceId));
}

/** Slugs are given before anything is stored, so that bodies can name records that come after them. */
async function planSlugs(
  target: ImportTarget,
  { plan: { slugs, addresses }, name, used }: { plan: Plan; name: string; used: Set<unknown> },
  records: readonly FoundRecord[],
) {
  const collection = records[0]?.collection;
  if (collection === undefined) return;
  const { clock, randomBytes } = target.deps;
  const rows = new Map<string, Row>();
  for (const record of records) {
    const { title, slug } = record;
    const key = keyOf(record);
    if (!rows.has(key)) rows.set(key, { id: newRecordId(clock.now(), randomBytes), title, slug });
  }
  const renamed = await giveSlugs({ target, carried: required(collection) }, [...rows.values()], used);
  for (const [key, row] of rows) {
    const slug = String(row.slug);
    slugs.set(key, { slug, note: renamed.get(row) ?? null });
    const address = pageOf(name, slug);
    if (address) addresses.set(key, address);
  }
}
