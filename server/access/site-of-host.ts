import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { preparedStatement } from '../../shared/db/client.ts';
import { singleFlightByKey } from '../../shared/single-flight.ts';
import type { SiteFinder } from '../kernel/callers.ts';
import type { Infrastructure } from '../kernel/deps.ts';

/** What stands in `host` before the service's own host name; empty when it is not below it. No site is named by more than one label. */
export function subdomainOf(host: string, publicHost: string): string {
  return host.endsWith(`.${publicHost}`) ? host.slice(0, -publicHost.length - 1) : '';
}

/** A host as statements ask for it. */
export const hostNames = (host: string, { publicUrl }: { publicUrl: URL }) => ({
  host,
  subdomain: subdomainOf(host, publicUrl.hostname),
});

/** SQL: a host is not the domain of another site than `siteId` (a column); see docs/contract.md#tenants. */
export function hostAdmits(
  { host, subdomain }: Record<keyof ReturnType<typeof hostNames>, unknown>,
  siteId: RawBuilder<unknown>,
) {
  return sql<SqlBool>`not exists (
    select from sites other
    where other.id <> ${siteId} and (other.custom_domain = ${host} or other.subdomain = ${subdomain})
  )`;
}

/**
 * SQL of the sites that a host may mean, for `siteMeant`: the one whose name or domain it is, and of all others two, which is
 * enough to know whether there is only one.
 */
export const sitesByHost = (
  columns: RawBuilder<unknown>,
  { host, subdomain }: Record<keyof ReturnType<typeof hostNames>, unknown>,
) => sql`
  (select ${columns}, true as named from sites where custom_domain = ${host} or subdomain = ${subdomain} limit 1)
  union all (select ${columns}, false from sites order by id limit 2)`;

/** The site that bears the name comes first; where none does, the only one of the service is meant (docs/contract.md#tenants). */
export function chooseSite<Row extends { named: boolean }>([first, second]: readonly Row[]): Row | null {
  return first && (first.named || !second) ? first : null;
}

/** Finds sites by host. Requests that ask the same at the same moment share a query that begins after all of them have come. */
export function createSiteFinder({
  database,
  config,
}: Pick<Infrastructure, 'database' | 'config'>): SiteFinder {
  const find = singleFlightByKey(async (host: string) => {
    const sites = sitesByHost(sql`id`, hostNames(host, config));
    const { rows } = await sql<{ id: string; named: boolean }>`${preparedStatement}
      ${sites} order by named desc`.execute(database.em.getKysely());
    const site = chooseSite(rows);
    if (site) database.shares.recent.saw(site.id);
    return site?.id ?? null;
  });
  return (host) => find(host, host);
}
