import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Cidr, isPublicUnicast, isWithin } from './addresses.ts';

/** Answers every address of a name; an empty list or a rejection means that it does not resolve. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export type TargetRule = {
  lookup: Lookup;
  /** Networks opened for tests and private installations (`WEBHOOK_ALLOW_CIDRS`). */
  allowCidrs: readonly Cidr[];
};

type WebhookTarget =
  | { ok: true; addresses: readonly string[] }
  | { ok: false; error: 'forbidden_address' | 'dns_failure' };

/**
 * The address rule of create, update and test: an https URL none of whose addresses is forbidden. A name that does not resolve yet is accepted here; at delivery it fails.
 * Takes as long as `lookup`. Null when the URL is fine, else what completes "url …" in the error message.
 */
export async function webhookTargetFault(raw: string, rule: TargetRule): Promise<string | null> {
  const check = checkWebhookUrl(raw);
  if (!check.ok) return check.reason;
  const target = await resolveTarget(check.url.hostname, rule);
  if (target.ok || target.error === 'dns_failure') return null;
  return 'must not resolve to a private, loopback, link-local or otherwise non-public address';
}

/**
 * Every address of a host, all of them checked: one that is not public unicast, nor in an allowed network, refuses the
 * host as a whole. `hostname` is as `URL.hostname` gives it, which has one spelling for all ways to write an address.
 */
export async function resolveTarget(hostname: string, rule: TargetRule): Promise<WebhookTarget> {
  const addresses = await addressesOf(hostname, rule.lookup);
  if (addresses.length === 0) return { ok: false, error: 'dns_failure' };
  const permitted = addresses.every((address) => isPermitted(address, rule.allowCidrs));
  return permitted ? { ok: true, addresses } : { ok: false, error: 'forbidden_address' };
}

/** Whether deliveries may go to this very address. */
export function isPermitted(address: string, allowCidrs: readonly Cidr[]): boolean {
  return isPublicUnicast(address) || isWithin(address, allowCidrs);
}

async function addressesOf(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(name)) return [name];
  // RFC 6761: these names mean loopback, also where a DNS server says nothing, or something else, of them.
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  return lookup(name).catch(() => []);
}

/** Longest URL taken, in UTF-16 units. */
const maxUrlLength = 2000;

/** `reason` completes a sentence that starts with the field's name: "url must start with https://". */
type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

/**
 * Checks how a webhook URL is written; where it leads is for `resolveTarget`. What the WHATWG parser would silently
 * repair (missing slashes, backslashes, line breaks) is refused, so the URL shown to the owner is the one called.
 *
 * Registration takes https only, whatever is allowed elsewhere. `plainHttp` is
 * for the sender, which may reach receivers without TLS inside networks that the operator has opened.
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
 * A lookup that asks the machine's DNS servers itself. `dns.lookup` would run in Node's few threads, where a handful of
 * names with dead servers holds up every other delivery; the price is that `/etc/hosts` is not read.
 * Answers within about 6 seconds. `servers` (`address:port`) replaces the machine's own.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}
