import { sql } from 'kysely';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { pageOf } from '../../../shared/contract/site-paths.ts';
import { required } from './carried.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { findImported } from './found-rows.ts';
import { giveSlugs } from './free-slugs.ts';
import { redirectReferences } from './references.ts';
import type { Target } from './target.ts';

/** What is known of an import once all of it has been read, and before anything is changed. */
export interface Plan {
  /** The slugs of records that are new, and what there is to say of them. */
  slugs: Map<string, { slug: string; note: string | null }>;
  /** Where records are shown here. */
  addresses: Map<string, string>;
  /** Which record is where, in the places of the old site. */
  places: Map<string, string>;
  /** Files and pictures that new records show or link. */
  wanted: Set<string>;
}

/** What a record is known by. */
export const keyOf = ({ collection, sourceId }: Pick<ForeignRecord, 'collection' | 'sourceId'>) =>
  `${collection} ${sourceId}`;

/** Collections whose records have an address of their own, and what one of them is called. */
const addressed: Readonly<Record<string, string>> = { posts: 'post', pages: 'page' };

/** Reads all that is to be imported. Throws what makes the file none. */
export async function planImport(
  target: Target,
  site: ForeignSite,
  batches: AsyncIterable<readonly ForeignRecord[]>,
): Promise<Plan> {
  const plan: Plan = { slugs: new Map(), addresses: new Map(), places: new Map(), wanted: new Set() };
  const used = new Map<string, Set<unknown>>();
  const files = new Set(site.tree?.files.map(({ name }) => name));
  for await (const batch of batches) {
    target.signal.throwIfAborted();
    const collection = batch[0]?.collection ?? '';
    const name = addressed[collection];
    if (name === undefined) continue;
    const taken = batch.filter(({ values }) => values !== null);
    const isNew = await withoutImported(target, plan, { collection, name }, taken);
    const ofCollection = used.get(collection) ?? new Set();
    used.set(collection, ofCollection);
    await planSlugs(target, plan, { name, used: ofCollection }, isNew);
    for (const record of taken) for (const place of record.places ?? []) addPlace(plan, place, record);
    for (const record of isNew) want(plan, site, files, record);
  }
  for (const place of plan.places.keys()) plan.wanted.delete(place);
  return plan;
}

/** Two records may have been at one place, at different times: the first one is found there. */
function addPlace({ places }: Plan, place: string, record: ForeignRecord) {
  if (!places.has(place)) places.set(place, keyOf(record));
}

/** Those that are not here yet. The others are where they are now. */
async function withoutImported(
  target: Target,
  { addresses }: Plan,
  { collection, name }: { collection: string; name: string },
  records: readonly ForeignRecord[],
): Promise<ForeignRecord[]> {
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
  target: Target,
  { slugs, addresses }: Plan,
  { name, used }: { name: string; used: Set<unknown> },
  records: readonly ForeignRecord[],
) {
  const rows = new Map<string, { id: string; title: unknown; slug: unknown }>();
  const asked = new Map<string, unknown>();
  for (const record of records) {
    const { title, slug } = record.values ?? {};
    const id = keyOf(record);
    const { clock, randomBytes } = target.deps;
    if (!rows.has(id)) rows.set(id, { id: newRecordId(clock.now(), randomBytes), title, slug });
    asked.set(id, slug);
  }
  const collection = records[0]?.collection;
  if (collection === undefined) return;
  await giveSlugs(target, required(collection), [...rows.values()], used);
  for (const [key, row] of rows) {
    const slug = String(row.slug);
    const isAnother = Boolean(asked.get(key)) && asked.get(key) !== slug;
    slugs.set(key, { slug, note: isAnother ? `slug: ${asked.get(key)} is taken, it has ${slug}` : null });
    const address = pageOf(name, slug);
    if (address) addresses.set(key, address);
  }
}

function want({ wanted }: Plan, site: ForeignSite, files: ReadonlySet<string>, record: ForeignRecord) {
  const look = (target: string, isByName: boolean) => {
    const found = site
      .placesOf({ target, isByName }, record)
      .find((place) => files.has(place) || site.pictureAt?.(place));
    if (found !== undefined) wanted.add(found);
  };
  if (record.cover) look(record.cover, false);
  redirectReferences(String(record.values?.content ?? ''), site.form, ({ target, isByName }) => {
    look(target, isByName);
    return null;
  });
}
