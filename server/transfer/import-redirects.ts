import { sql } from 'kysely';
import {
  canonicalPath,
  isServed,
  redirectLimits as limits,
} from '../../shared/contract/features/redirects.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { joinNotes } from '../../shared/importers/index.ts';
import { isPublicPath } from '../content/redirects/public-path.ts';
import type { ImportTarget } from './import-target.ts';
import type { Row } from './site-rows.ts';
import { type PendingRow, report } from './skip-rows.ts';
import type { BatchOptions } from './store-batch.ts';

/**
 * Returns a function that assigns old addresses to records: each address to its first record, until the site has the
 * maximum number of redirects. It returns the paths to redirect, and a note for the report or null.
 */
export async function createRedirectPlan(target: ImportTarget) {
  const leads = await findLeads(target);
  const used = new Set(leads.keys());
  const leading = new Map(
    [...leads].flatMap(([from, { to }]) =>
      to.startsWith('/') ? [[to.split(/[?#]/, 1).join(''), from] as const] : [],
    ),
  );
  return (addresses: readonly string[], publicPath: string | null) => {
    const paths = new Set<string>();
    let isFull = false;
    for (const address of addresses) {
      const path = /[?#]/.test(address) ? null : canonicalPath(address);
      if (path === null || path === publicPath || isServed(path) || used.has(path)) continue;
      if (used.size >= limits.perSite) isFull = true;
      else paths.add(path);
      if (!isFull) used.add(path);
    }
    const notes = [...paths].flatMap((path) => {
      const from = leading.get(path);
      return from === undefined
        ? []
        : `Redirect changed: ${from} redirected to ${path} and now redirects to this record`;
    });
    if (isFull) notes.push(`Redirects not created: a site can have at most ${limits.perSite} redirects`);
    return { paths: [...paths], note: notes.length > 0 ? joinNotes(notes.slice(0, maxNotes)) : null };
  };
}

const maxNotes = 10;

/** Target of a redirect: a URL, or a record. */
interface Lead {
  to: string;
  collection: string;
  record_id: string;
}

const leadOf = ({ to, collection, record_id }: Row): Lead => ({
  to: String(to),
  collection: String(collection),
  record_id: String(record_id),
});

/** Finds the targets of the site's redirects, by source path. */
async function findLeads({ deps, siteId }: ImportTarget): Promise<Map<string, Lead>> {
  const { rows } = await sql<Lead & { from: string }>`
    select "from", "to", collection, record_id from redirects where site_id = ${siteId}`.execute(
    deps.database.em.getKysely(),
  );
  return new Map(rows.map(({ from, ...lead }) => [from, lead]));
}

/** Returns options for storing redirects so that each points to its final target, and none is part of a loop. */
export function redirectsInOneStep(target: ImportTarget): BatchOptions {
  let known: Map<string, Lead> | null = null;
  return {
    async prepare(into, pending) {
      known ??= await findLeads(target);
      const leads = known;
      let room = limits.perSite - leads.size;
      // Redirects of the file may point to each other in any order.
      for (const { row } of pending) leads.set(String(row.from), leadOf(row));
      return pending.flatMap((one) => {
        const end = endOf(String(one.row.from), leads);
        if (end !== null && room > 0) {
          room -= 1;
          leads.set(String(one.row.from), end);
          return [withEnd(one, end)];
        }
        leads.delete(String(one.row.from));
        const why =
          end === null
            ? 'the redirect is part of a loop'
            : `a site can have at most ${limits.perSite} redirects`;
        report(into, one.candidate, { outcome: 'refused', notes: [`Not imported: ${why}`] });
        return [];
      });
    },
    alsoStore: (em, stored) =>
      leadOn(
        em,
        target,
        stored.map(({ row }) => String(row.id)),
      ),
  };
}

const withEnd = (one: PendingRow, end: Lead): PendingRow =>
  end.to === one.row.to && end.record_id === one.row.record_id
    ? one
    : {
        ...one,
        row: { ...one.row, ...end },
        notes: [...one.notes, `Target changed to the final one: ${one.row.to} is redirected itself`],
      };

/**
 * Returns the final target of a redirect. Null if the redirect is in a loop, or would be if another host became a
 * domain of the site.
 */
function endOf(from: string, leads: ReadonlyMap<string, Lead>): Lead | null {
  const passed = new Set([from]);
  let at = from;
  let lead = leads.get(from);
  let end: Lead | null = null;
  while (lead?.collection === '') {
    const isOwn = lead.to.startsWith('/');
    if (!isOwn) end ??= lead;
    const path = pathOf(lead.to);
    if (path !== null && passed.has(path)) return isOwn || path !== at ? null : (end ?? lead);
    const next = path === null ? undefined : leads.get(path);
    if (path === null || !next) break;
    passed.add(path);
    at = path;
    lead = next;
  }
  return end ?? lead ?? null;
}

const pathOf = (to: string) => canonicalPath(URL.parse(to, 'https://a.invalid')?.pathname ?? '');

/**
 * Updates existing redirects that point to the path of a new one: they get its target. Paths at which a page is shown
 * are skipped, because no visitor is redirected there.
 */
export async function leadOn(em: Transaction, { siteId, deps }: ImportTarget, ids: readonly string[]) {
  await sql`
    update redirects led set "to" = new."to", collection = new.collection, record_id = new.record_id,
      updated = ${deps.clock.now()}
    from redirects new
    where led.site_id = ${siteId} and new.site_id = ${siteId} and new.id = any(${[...ids]}::text[])
      and led.collection = '' and led.id <> new.id
      and new."from" = split_part(split_part(led."to", '#', 1), '?', 1)
      and not ${isPublicPath(sql`new.site_id`, sql`new."from"`)}`.execute(em.getKysely());
}
