import { isIP } from 'node:net';
import { type Cidr, isPublicUnicast, isWithin } from './addresses.ts';
import { checkWebhookUrl } from './webhook-url.ts';

/** Answers every address of a name; an empty list or a rejection means that it does not resolve. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export type TargetRule = {
  lookup: Lookup;
  /** Networks opened for tests and private installations (`WEBHOOK_ALLOW_CIDRS`). */
  allowCidrs: readonly Cidr[];
};

export type WebhookTarget =
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
