import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Cidr, isPublicUnicast, isWithin } from './addresses.ts';

/**
 * DNS lookup that returns all addresses of a name. An empty list or a rejection means that the name does not resolve.
 */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export type TargetRule = {
  lookup: Lookup;
  /**
   * Networks that are allowed although they are not public, for tests and private installations
   * (`WEBHOOK_ALLOW_CIDRS`).
   */
  allowCidrs: readonly Cidr[];
};

type WebhookTarget =
  | { ok: true; addresses: readonly string[] }
  | { ok: false; error: 'forbidden_address' | 'dns_failure' };

/**
 * Checks a webhook URL for create, update and test: https, and no forbidden address. A name that does not resolve is
 * accepted here; its deliveries fail. Takes as long as `lookup`. Returns null for a valid URL, otherwise the end of the
 * error message "url …".
 */
export async function webhookTargetFault(raw: string, rule: TargetRule): Promise<string | null> {
  const check = checkWebhookUrl(raw);
  if (!check.ok) return check.reason;
  const target = await resolveTarget(check.url.hostname, rule);
  if (target.ok || target.error === 'dns_failure') return null;
  return 'must not resolve to a private, loopback, link-local or otherwise non-public address';
}

/**
 * Resolves a host and checks every address. One address that is neither public unicast nor in an allowed network
 * refuses the host with `forbidden_address`. A host without addresses, or whose lookup fails, is `dns_failure`. Never
 * rejects. `hostname` must come from `URL.hostname`, which normalizes the spellings of addresses.
 */
export async function resolveTarget(hostname: string, rule: TargetRule): Promise<WebhookTarget> {
  const addresses = await addressesOf(hostname, rule.lookup);
  if (addresses.length === 0) return { ok: false, error: 'dns_failure' };
  const permitted = addresses.every((address) => isPermitted(address, rule.allowCidrs));
  return permitted ? { ok: true, addresses } : { ok: false, error: 'forbidden_address' };
}

/** Returns true if deliveries may connect to this address. */
export function isPermitted(address: string, allowCidrs: readonly Cidr[]): boolean {
  return isPublicUnicast(address) || isWithin(address, allowCidrs);
}

async function addressesOf(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(name)) return [name];
  // RFC 6761: these names are loopback, whatever a DNS server answers.
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  return lookup(name).catch(() => []);
}

/** Maximum length of a URL, in UTF-16 units. */
const maxUrlLength = 2000;

/**
 * Result of a URL check. `reason` completes a sentence that begins with the field's name: "url must start with
 * https://".
 */
type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

/**
 * Parses a webhook URL, or returns the reason why it is refused. It checks the syntax only; `resolveTarget` checks the
 * addresses. The WHATWG parser silently repairs missing slashes, backslashes and line breaks. Such input is refused, so
 * that the URL shown to the owner is the one called.
 *
 * Registration accepts only https. `plainHttp` is for the sender, which may use HTTP inside networks that the operator
 * has allowed.
 */
export function checkWebhookUrl(
  raw: string,
  options: { plainHttp: boolean } = { plainHttp: false },
): UrlCheck {
  const reason = urlFault(raw, options.plainHttp ? /^https?:\/\/[^/]/ : /^https:\/\/[^/]/);
  if (reason) return { ok: false, reason };
  const url = URL.parse(raw);
  if (!url || url.port === '0') return { ok: false, reason: 'must be a valid URL' };
  return { ok: true, url };
}

function urlFault(raw: string, start: RegExp): string | null {
  if (raw.length > maxUrlLength) return `must have at most ${maxUrlLength} characters`;
  if (!start.test(raw)) return 'must start with https://';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u.test(raw))
    return 'must not contain spaces, control characters or backslashes';
  if (/^[a-z]+:\/\/[^/?#]*@/.test(raw)) return 'must not contain a user name or password';
  return null;
}

/**
 * Creates a lookup that queries the machine's DNS servers directly. It returns an empty list if no server answers,
 * and never rejects. It takes at most about 6 seconds.
 *
 * `dns.lookup` would run in Node's few threads, where a handful of names with dead servers delays every other
 * delivery. In return, `/etc/hosts` is not read. `servers` (`address:port`) replaces the machine's own.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}
