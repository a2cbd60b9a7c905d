import type { Issuer } from '../../../shared/contract/features/oauth.ts';
import { isLoopbackHost } from '../../../shared/selling/test-sales.ts';
import { hostNames } from '../../api/access/site-of-host.ts';
import type { VisitedSite } from '../../api/callers.ts';
import type { Deps, ServerConfig } from '../../api/deps.ts';

export const resourceAt = (issuer: string) => `${issuer}/mcp`;

/**
 * Returns the origin of a request. On a machine where the service is tried out, that is the address as typed; otherwise
 * the host that the site claims, or the service's own. Null if it is neither https nor this machine: sign-in is not
 * possible there.
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

/**
 * Returns the OAuth issuer and resource at the address of a request; null if sign-in is not possible there. `siteId` is
 * empty if the host has no site.
 */
export async function findIssuer(
  { config, findVisitedSite }: Pick<Deps, 'config' | 'findVisitedSite'>,
  { host, authority }: { host: string; authority: string },
): Promise<Issuer | null> {
  const site = await findVisitedSite(host);
  const issuer = issuerAt(config, authority, site);
  return issuer === null ? null : { issuer, resource: resourceAt(issuer), siteId: site?.id ?? '' };
}

/** Names of the programs that may receive OAuth responses at a URL scheme of their own, by scheme. */
const programs: Readonly<Record<string, string>> = {
  'cursor:': 'Cursor',
  'vscode:': 'Visual Studio Code',
  'vscode-insiders:': 'Visual Studio Code Insiders',
};

/** Maximum length of a client's redirect URL, in characters. */
const maxLength = 1_000;

/**
 * True if answers may go to a URL: over https, to this machine, or to a program in `programs`. False for any text that is
 * ambiguous or not a URL.
 */
export function isAllowedRedirect(raw: string): boolean {
  const url = URL.parse(raw);
  if (!url || raw.length > maxLength || isAmbiguous(raw)) return false;
  return url.protocol === 'https:' || url.protocol in programs || isLoopback(url);
}

/**
 * True if a URL has parts that two programs may interpret differently: user names, fragments, dot segments, or characters
 * that parsers repair. True for a text that is not a URL.
 */
export const isAmbiguous = (raw: string) =>
  /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\#]/u.test(raw) ||
  /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(raw) ||
  !/^[a-z][a-z0-9+.-]*:\/\/[^/?]/i.test(raw) ||
  /\/(\.|%2e){1,2}([/?]|$)/i.test(raw);

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && isLoopbackHost(hostname);

/**
 * True if an answer goes to a program on the person's own machine. Any program there could receive it. Throws `TypeError`
 * if `uri` is not a URL.
 */
export function isOnThisMachine(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol !== 'https:' || isLoopbackHost(hostname);
}

/**
 * True if a redirect URL is one of `allowed`, or on this machine and equal to one except for the port (RFC 8252, 7.3).
 * False for an ambiguous URL.
 */
export const matchesRedirect = (allowed: readonly string[], given: string) =>
  !isAmbiguous(given) && allowed.some((one) => one === given || isSameButPort(one, given));

function isSameButPort(one: string, other: string) {
  const [a, b] = [one, other].map((uri) => URL.parse(uri));
  if (!a || !b || !isLoopback(a) || !isLoopback(b)) return false;
  a.port = b.port;
  return a.href === b.href;
}

/**
 * Returns the recipient of an answer as shown to people: a host or a program's name. Throws `TypeError` if `uri` is
 * not a URL.
 */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return programs[protocol] ?? host;
}

/** Creates the URL that the browser is redirected to with an answer. */
export function answerAt(
  { redirect_uri, state, issuer }: { redirect_uri: string; state: string | null; issuer: string },
  answer: Record<string, string>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`;
}
