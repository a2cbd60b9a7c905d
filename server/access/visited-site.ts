import { sql } from 'kysely';
import { statementWithPlaces } from '../../shared/db/client.ts';
import { singleFlightByKey } from '../../shared/single-flight.ts';
import type { Caller, VisitedSite, VisitedSiteFinder } from '../kernel/callers.ts';
import type { Infrastructure } from '../kernel/deps.ts';
import { hostNames, siteMeant, sitesAt } from './site-of-host.ts';

type Row = Omit<VisitedSite, 'collections' | 'state'> & {
  collections: Record<string, [version: number, publicCount: number]> | null;
};

/**
 * Finds sites by host for visitors of their pages: one query, shared by the requests that ask for the same host at the
 * same moment, which begins after all of them have come.
 */
export function createVisitedSiteFinder({
  database,
  config,
}: Pick<Infrastructure, 'database' | 'config'>): VisitedSiteFinder {
  const select = statementWithPlaces(
    ['host', 'subdomain'],
    (names) => sql<Row>`
      select s.*, (
        select json_object_agg(c.collection, json_build_array(c.version, c.public_count))
        from collection_state c where c.site_id = s.id
      ) as collections from (${sitesAt(columns, names)}) s order by named desc`,
  );
  const find = singleFlightByKey(async (host: string) => {
    const { rows } = await select(database.em.getKysely(), hostNames(host, config));
    const site = siteMeant(rows);
    if (site) database.shares.recent.saw(site.id);
    return site && visited(site);
  });
  return (host) => find(host, host);
}

const columns = sql.raw('id, name, plan, subdomain, custom_domain, language, theme');

function visited({ collections, ...site }: Row): VisitedSite {
  const versions = Object.entries(collections ?? {}).map(
    ([collection, [version, public_count]]) => [collection, { version, public_count }] as const,
  );
  const { named: _, ...settings } = site;
  const filled = versions
    .filter(([, { public_count }]) => public_count > 0)
    .map(([collection]) => collection);
  const state = JSON.stringify([settings, filled.sort()]);
  return { ...site, collections: Object.fromEntries(versions), state };
}

/** A collection of the site. No write has raised the version of one without a row. */
export const collectionAtVisit = ({ collections }: VisitedSite, name: string) =>
  collections[name] ?? { version: 0, public_count: 0 };

/**
 * Whoever reads the pages of a site: they need no credential, and may call what reads public content, on any plan.
 * `collection` is the one whose version the procedure wants.
 */
export const visitorOf = (site: VisitedSite, collection: string | undefined): Caller => ({
  id: `visitor of ${site.id}`,
  name: 'visitor',
  site_id: site.id,
  scopes: ['read', 'read:content'],
  allowed_origins: [],
  plan: site.plan,
  collection: collection === undefined ? null : collectionAtVisit(site, collection),
});
