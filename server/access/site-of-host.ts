import { type RawBuilder, type SqlBool, sql } from 'kysely';

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
  { host, subdomain }: Record<'host' | 'subdomain', unknown>,
  siteId: RawBuilder<unknown>,
) {
  return sql<SqlBool>`not exists (
    select from sites other
    where other.id <> ${siteId} and (other.custom_domain = ${host} or other.subdomain = ${subdomain})
  )`;
}
