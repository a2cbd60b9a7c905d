import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { statementWithPlaceholders } from '../../../shared/db/client.ts';
import { singleFlightByKey } from '../../../shared/runtime/single-flight.ts';
import { isLoopbackHost } from '../../../shared/selling/test-sales.ts';
import type { Admission, VisitedSite, VisitedSiteFinder } from '../callers.ts';
import type { Deps, Infrastructure } from '../deps.ts';

/**
 * Returns the labels of `host` before the service's own host name; empty if `host` is not below it. Sites have a single
 * label.
 */
export function subdomainOf(host: string, publicHost: string): string {
  return host.endsWith(`.${publicHost}`) ? host.slice(0, -publicHost.length - 1) : '';
}

/**
 * Returns true where the demo payment provider exists: outside production, and if neither the service nor the request has a
 * public address.
 */
export const isDemoHost = ({ config }: Pick<Deps, 'config'>, host: string): boolean =>
  config.countsTest && isLoopbackHost(host);

/**
 * Returns a host, and its labels before the service's own host name, as values for SQL statements. `subdomain` is empty if
 * the host is not below it.
 */
export const hostNames = (host: string, { publicUrl }: { publicUrl: URL }) => ({
  host,
  subdomain: subdomainOf(host, publicUrl.hostname),
});

/** SQL condition: a host is not the domain of a site other than `siteId` (a column); see docs/reference/sites.md#tenants. */
export function hostAdmits(
  { host, subdomain }: Record<'host' | 'subdomain', unknown>,
  siteId: RawBuilder<unknown>,
) {
  return sql<SqlBool>`not exists (
    select from sites other
    where other.id <> ${siteId} and (other.custom_domain = ${host} or other.subdomain = ${subdomain})
  )`;
}

type Row = Omit<VisitedSite, 'collections' | 'state'> & {
  collections: Record<string, [version: number, publicCount: number]> | null;
};

/**
 * Creates a finder of sites by host: the site with this name or domain, or the only site of the service
 * (docs/reference/sites.md#tenants). The finder returns null if there is no such site. A lookup is one query. Concurrent
 * lookups of one host share a query that begins after all of them arrived.
 */
export function createVisitedSiteFinder({
  database,
  config,
}: Pick<Infrastructure, 'database' | 'config'>): VisitedSiteFinder {
  const select = statementWithPlaceholders(
    ['host', 'subdomain'],
    // Two rows of all sites are enough to know whether the service has only one.
    ({ host, subdomain }) => sql<Row>`
      select s.*, (
        select json_object_agg(c.collection, json_build_array(c.version, c.public_count))
        from (select collection, sum(version) as version, sum(public_count) as public_count
          from collection_changes where site_id = s.id group by collection) c
      ) as collections from (
        (select ${columns}, true as named from sites where custom_domain = ${host} or subdomain = ${subdomain} limit 1)
        union all (select ${columns}, false from sites order by id limit 2)
      ) s order by named desc`,
  );
  const find = singleFlightByKey(async (host: string) => {
    const [first, second] = await select(database, hostNames(host, config));
    if (!first || (!first.named && second)) return null;
    database.quotas.recent.note(first.id);
    return visited(first);
  });
  return (host) => find(host, host);
}

const columns = sql.raw(
  'id, name, plan, subdomain, custom_domain, language, currency, time_zone, theme, selling',
);

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

/** Returns the state of a collection of the site. A collection that has never been written to has version 0. */
export const collectionStateOf = ({ collections }: Pick<VisitedSite, 'collections'>, name: string) =>
  collections[name] ?? { version: 0, public_count: 0 };

/** Creates the admission of a visitor to all procedures that the site's pages call. */
export const visitorAdmission = (site: VisitedSite): Admission => ({
  procedure: undefined,
  refusal: null,
  caller: { kind: 'visitor', site },
  askedAtMs: 0,
  collectionState: null,
  needsTouch: false,
});
