import { sql } from 'kysely';
import { statementWithPlaceholders } from '../../shared/db/straight-statement.ts';
import { singleFlightByKey } from '../../shared/single-flight.ts';
import type { Admission, VisitedSite, VisitedSiteFinder } from '../kernel/callers.ts';
import type { Infrastructure } from '../kernel/deps.ts';
import { chooseSite, hostNames, sitesByHost } from './site-of-host.ts';

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
  const select = statementWithPlaceholders(
    ['host', 'subdomain'],
    (names) => sql<Row>`
      select s.*, (
        select json_object_agg(c.collection, json_build_array(c.version, c.public_count))
        from collection_state c where c.site_id = s.id
      ) as collections from (${sitesByHost(columns, names)}) s order by named desc`,
  );
  const find = singleFlightByKey(async (host: string) => {
    const rows = await select(database, hostNames(host, config));
    const site = chooseSite(rows);
    if (site) database.shares.recent.saw(site.id);
    return site && visited(site);
  });
  return (host) => find(host, host);
}

const columns = sql.raw('id, name, plan, subdomain, custom_domain, language, currency, theme');

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
export const collectionStateOf = ({ collections }: VisitedSite, name: string) =>
  collections[name] ?? { version: 0, public_count: 0 };

/** What admits a visitor to all that pages of the site read. */
export const visitorAdmission = (site: VisitedSite): Admission => ({
  procedure: undefined,
  refusal: null,
  caller: { kind: 'visitor', site },
  askedAtMs: 0,
  collectionState: null,
  needsTouch: false,
});
