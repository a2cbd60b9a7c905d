import type { SignInPlace } from '../../../shared/contract/features/oauth.ts';
import { isLoopbackHost } from '../../../shared/selling/test-sales.ts';
import { hostNames } from '../../api/access/site-of-host.ts';
import type { VisitedSite } from '../../api/callers.ts';
import type { Deps, ServerConfig } from '../../api/deps.ts';

export const resourceAt = (issuer: string) => `${issuer}/mcp`;

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

/** Programs that take answers at an address of a scheme of their own. */
const programs: Readonly<Record<string, string>> = {
  'cursor:': 'Cursor',
  'vscode:': 'Visual Studio Code',
  'vscode-insiders:': 'Visual Studio Code Insiders',
};

/** Longest address that a client may have. */
const longest = 1_000;

/** Whether answers may go to an address at all: https, this machine, or a program of the list. */
export function isAllowedRedirect(raw: string): boolean {
  const url = URL.parse(raw);
  if (!url || raw.length > longest || isAmbiguous(raw)) return false;
  return url.protocol === 'https:' || url.protocol in programs || isLoopback(url);
}

/** What two programs may read in two ways: user names, fragments, dot segments, and what parsers repair. */
export const isAmbiguous = (raw: string) =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\#]/u.test(raw) ||
  /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(raw) ||
  !/^[a-z][a-z0-9+.-]*:\/\/[^/?]/i.test(raw) ||
  /\/(\.|%2e){1,2}([/?]|$)/i.test(raw);

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && isLoopbackHost(hostname);

/** Whether an answer goes to a program on the machine of who gives it: any that runs there may take it. */
export function isOnThisMachine(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol !== 'https:' || isLoopbackHost(hostname);
}

/** The one of `allowed` that is meant: the very same, or on this machine one with any port (RFC 8252, 7.3). */
export const matchesRedirect = (allowed: readonly string[], given: string) =>
  !isAmbiguous(given) && allowed.some((one) => one === given || isSameButPort(one, given));

function isSameButPort(one: string, other: string) {
  const [a, b] = [one, other].map((uri) => URL.parse(uri));
  if (!a || !b || !isLoopback(a) || !isLoopback(b)) return false;
  a.port = b.port;
  return a.href === b.href;
}

/** Where an answer goes, as people are told. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return programs[protocol] ?? host;
}

/** Where the browser goes on to with an answer. */
export function answerAt(
  { redirect_uri, state, issuer }: { redirect_uri: string; state: string | null; issuer: string },
  answer: Record<string, string>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`;
}
