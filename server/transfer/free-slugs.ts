import { sql } from 'kysely';
import { slugBase, slugFrom } from '../../shared/content/slug.ts';
import { allResources } from '../../shared/contract/resources/index.ts';
import { laterSegments } from '../../shared/contract/site-paths.ts';
import type { Transaction } from '../../shared/db/config.ts';
import type { Destination, ImportTarget } from './import-target.ts';
import type { Row } from './site-rows.ts';
import { findTaken } from './site-rows.ts';

/**
 * Sets a free slug on each row: its own or one made from its title, with the next free number if that is taken. Returns notes
 * on changed slugs. `used` has the slugs of earlier rows of the import, and receives the new ones.
 */
export async function giveSlugs(
  into: Destination,
  rows: readonly Row[],
  used: Set<unknown> = new Set(),
): Promise<ReadonlyMap<Row, string>> {
  const reserved = Object.values(allResources).find(
    ({ collection }) => collection === into.table.name,
  )?.reservedSlugs;
  const wantedSlugs = new Map(rows.map((row) => [row, row.slug]));
  for (const row of rows) row.slug ||= slugFrom(String(row.title), String(row.id));
  let unchecked = [...rows];
  while (unchecked.length > 0) {
    const taken = await findTaken(into, ['slug'], unchecked);
    const clashing: Row[] = [];
    for (const row of unchecked) {
      const slug = String(row.slug);
      // An archive's page keeps an address that became reserved later.
      const isReserved = reserved?.has(slug) && !(wantedSlugs.get(row) === slug && laterSegments.has(slug));
      if (taken.has(slug) || used.has(slug) || isReserved) clashing.push(row);
      else used.add(slug);
    }
    for (const row of clashing) row.slug = await numbered(into, row, wantedSlugs.get(row));
    unchecked = clashing;
  }
  const renamed = [...wantedSlugs].filter(([row, wanted]) => wanted && wanted !== row.slug);
  return new Map(renamed.map(([row, wanted]) => [row, `Slug changed to ${row.slug}: ${wanted} is taken`]));
}

/**
 * Appends the next free number to a slug. PostgreSQL is queried once per slug, since thousands of rows may want the same one.
 */
async function numbered(
  { target, table: archiveTable }: Destination,
  row: Row,
  wanted: unknown,
): Promise<string> {
  const { name, table } = archiveTable;
  const base = slugBase(String(wanted || slugFrom(String(row.title), String(row.id))));
  const slugKey = `${name}/${base}`;
  const last = target.numbers.get(slugKey) ?? (await firstFree(target, table, base)) - 1;
  // Forgotten numbers are queried again; by then the earlier rows are stored.
  if (target.numbers.size >= target.max.remembered) target.numbers.clear();
  target.numbers.set(slugKey, last + 1);
  return `${base}-${last + 1}`;
}

async function firstFree({ deps, siteId }: ImportTarget, table: string, base: string): Promise<number> {
  const { rows } = await sql<{ slug: string }>`
    select free_slug(${table}::text, ${siteId}::text, ${base}::text, ''::text, true) as slug`.execute(
    deps.database.em.getKysely(),
  );
  return Number(rows[0]?.slug.slice(base.length + 1) ?? 2);
}

/**
 * Locks slugs until the transaction ends, in the order that other writers use, so that two writers never wait for each other.
 */
export async function lockSlugs(
  em: Transaction,
  { target: { siteId }, table: { table } }: Destination,
  rows: readonly Row[],
) {
  const slugs = rows.map(({ slug }) => String(slug)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  await sql`
    select lock_slug(${table}::text, ${siteId}::text, slug)
    from (select slug from unnest(${slugs}::text[]) with ordinality as s (slug, place) order by place) as ordered`.execute(
    em.getKysely(),
  );
}
