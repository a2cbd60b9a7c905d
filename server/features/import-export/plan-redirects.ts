import {
  canonicalPath,
  isServed,
  redirectLimits as limits,
} from '../../../shared/contract/features/redirects.ts';
import { findLeads } from './one-step.ts';
import { joinNotes } from './sources/foreign-record.ts';
import type { ImportTarget } from './target.ts';

/** Old addresses of a record that lead to it, and what there is to say of others. */
export interface PlannedRedirects {
  paths: readonly string[];
  note: string | null;
}

/** Gives each address to the first record that had it, as long as the site has room for redirects. */
export async function createRedirectPlan(target: ImportTarget) {
  const leads = await findLeads(target);
  const used = new Set(leads.keys());
  const leading = new Map(
    [...leads].flatMap(([from, { to }]) =>
      to.startsWith('/') ? [[to.split(/[?#]/, 1).join(''), from] as const] : [],
    ),
  );
  return (addresses: readonly string[], shownAt: string | null): PlannedRedirects => {
    const paths = new Set<string>();
    let isFull = false;
    for (const address of addresses) {
      const path = /[?#]/.test(address) ? null : canonicalPath(address);
      if (path === null || path === shownAt || isServed(path) || used.has(path)) continue;
      if (used.size >= limits.perSite) isFull = true;
      else paths.add(path);
      if (!isFull) used.add(path);
    }
    const notes = [...paths].flatMap((path) => {
      const from = leading.get(path);
      return from === undefined
        ? []
        : `Redirect changed: ${from} led to ${path} and now leads to this record`;
    });
    if (isFull) notes.push(`Redirects not created: a site can have at most ${limits.perSite} redirects`);
    return { paths: [...paths], note: notes.length > 0 ? joinNotes(notes.slice(0, mostNotes)) : null };
  };
}

const mostNotes = 10;
