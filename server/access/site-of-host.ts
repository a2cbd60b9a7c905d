import { type RawBuilder, sql } from 'kysely';

/** The first label of `host` below the service's own host name; empty when it is not below it. */
export function subdomainOf(host: string, publicHost: string): string {
  return host.endsWith(`.${publicHost}`) ? host.slice(0, -publicHost.length - 1) : '';
}

/** SQL: `host` is not the domain of another site than `siteId` (a column), where a credential would be unknown (DECISIONS 1). */
export function hostAdmits(host: string, publicHost: string, siteId: RawBuilder<unknown>) {
  return sql`not exists (
    select from sites other
    where other.id <> ${siteId} and (other.custom_domain = ${host} or other.subdomain = ${subdomainOf(host, publicHost)})
  )`;
}
