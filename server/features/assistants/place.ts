import type { SignInPlace } from '../../../shared/contract/features/oauth.ts';
import { hostNames } from '../../access/site-of-host.ts';
import type { VisitedSite } from '../../kernel/callers.ts';
import type { Deps, ServerConfig } from '../../kernel/deps.ts';

export const resourceAt = (issuer: string) => `${issuer}/mcp`;

/** Whether a host is this machine by its name or number. */
export const isLoopbackHost = (host: string) =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

/**
 * The origin that a request asked for: as it was typed on a machine where the service is tried out, the host that the site
 * claims, else the service's own. Null where that is neither https nor this machine: there nobody signs in.
 */
export function issuerAt(
  { publicUrl }: Pick<ServerConfig, 'publicUrl'>,
  authority: string,
  site: Pick<VisitedSite, 'custom_domain' | 'subdomain'> | null,
): string | null {
  const typed = URL.parse(`${publicUrl.protocol}//${authority}`) ?? publicUrl;
  const host = typed.hostname.replace(/\.$/, '');
  const { subdomain } = hostNames(host, { publicUrl });
  const port = publicUrl.port && `:${publicUrl.port}`;
  const claimed = () => {
    if (isLoopbackHost(publicUrl.hostname) && isLoopbackHost(host)) return typed.origin;
    if (host === site?.custom_domain) return `${publicUrl.protocol}//${host}`;
    return subdomain && subdomain === site?.subdomain
      ? `${publicUrl.protocol}//${host}${port}`
      : publicUrl.origin;
  };
  const { protocol, hostname, origin } = new URL(claimed());
  return protocol === 'https:' || isLoopbackHost(hostname) ? origin : null;
}

/** Where a request signs in. Null where nobody does. */
export async function signInPlace(
  { config, findVisitedSite }: Pick<Deps, 'config' | 'findVisitedSite'>,
  { host, authority }: { host: string; authority: string },
): Promise<SignInPlace | null> {
  const site = await findVisitedSite(host);
  const issuer = issuerAt(config, authority, site);
  return issuer === null ? null : { issuer, resource: resourceAt(issuer), siteId: site?.id ?? '' };
}
