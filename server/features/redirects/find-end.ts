import { sql } from 'kysely';
import { canonicalPath, pathOfTarget } from '../../../shared/contract/features/redirects.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Deps } from '../../kernel/deps.ts';
import { isShownAt, shownWhen } from './shown-at.ts';
import { pathPart, targetOf } from './store.ts';

interface Visited {
  deps: Pick<Deps, 'database'>;
  siteId: string;
  /** All that lead to the site, as far as they are known. */
  hosts: readonly string[];
}

interface Lead {
  to: string;
  permanent: boolean;
}

/** Most redirects that are followed for one visitor. */
const mostSteps = 10;

/**
 * Where a path leads in the end; null where nowhere, or in a circle: by another host, which has become the site's since, it may
 * lead on.
 */
export async function findEnd(site: Visited, path: string): Promise<Lead | null> {
  const passed = new Set([path]);
  let end = await findLead(site, path);
  for (let at = ownPathOf(site, end); end && at !== null; at = ownPathOf(site, end)) {
    if (passed.has(at) || passed.size > mostSteps) return null;
    passed.add(at);
    const next = await findLead(site, at);
    if (!next) break;
    end = { to: next.to, permanent: end.permanent && next.permanent };
  }
  return end && pathOfTarget(end.to) === path && end.to.startsWith('/') ? null : end;
}

/** The path of a lead that names a host of the site; null for all others, such as those that name a path. */
function ownPathOf({ hosts }: Visited, lead: Lead | null): string | null {
  if (!lead || lead.to.startsWith('/')) return null;
  const { host, hostname, pathname } = new URL(lead.to);
  return hosts.includes(host) || hosts.includes(hostname) ? canonicalPath(pathname) : null;
}

/** Where the redirect from a path leads; null where there is none, or something is shown. */
async function findLead({ deps, siteId }: Visited, path: string): Promise<Lead | null> {
  const { rows } = await sql<{ to: string | null; permanent: boolean }>`${preparedStatement}
    select permanent, coalesce((
        select next."to" from redirects next where next.site_id = redirects.site_id and next.collection = ''
          and redirects.collection = '' and next."from" = ${pathPart(sql`redirects."to"`)}
          and not ${isShownAt(sql`next.site_id`, sql`next."from"`)}
      ), ${targetOf(shownWhen)}) as "to"
    from redirects where site_id = ${siteId} and "from" = ${path}
      and not ${isShownAt(sql`redirects.site_id`, sql`redirects."from"`)}`.execute(
    deps.database.em.getKysely(),
  );
  const [{ to, permanent } = { to: null, permanent: false }] = rows;
  return to ? { to, permanent } : null;
}
