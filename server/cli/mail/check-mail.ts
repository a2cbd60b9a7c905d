import type { KeyObject } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { dkimRecord } from '../../../shared/mail/dkim.ts';
import { isPublicUnicast } from '../../../shared/webhooks/index.ts';

export interface DnsOptions {
  /** Servers as `address:port`, instead of the machine's own. */
  servers?: readonly string[];
  /** Timeout of one query in milliseconds; each query is sent twice. */
  timeoutMs?: number;
}

/** Records of one type; null if no server answered. */
type Answer<T> = Promise<T[] | null>;

/** Creates a DNS client. A query takes at most about three times `timeoutMs`. */
export function createDns({ servers, timeoutMs = 2_000 }: DnsOptions) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers) resolver.setServers(servers);
  const orNull = async <T>(answer: Promise<T[]>): Answer<T> => answer.catch(noneIfSaid);
  return {
    /** Returns TXT records that begin with `beginning`, each joined to one text. */
    async texts(name: string, beginning: string): Answer<string> {
      const found = await orNull(resolver.resolveTxt(name));
      return found?.map((parts) => parts.join('')).filter((text) => text.startsWith(beginning)) ?? null;
    },
    mailServers: async (name: string): Answer<string> =>
      (await orNull(resolver.resolveMx(name)))?.map(({ exchange }) => exchange) ?? null,
    async addresses(name: string): Answer<string> {
      const [four, six] = await Promise.all([
        orNull(resolver.resolve4(name)),
        orNull(resolver.resolve6(name)),
      ]);
      return four && six && [...four, ...six];
    },
    names: (address: string): Answer<string> => orNull(resolver.reverse(address)),
  };
}

type Dns = ReturnType<typeof createDns>;

/** Returns an empty list if a server answered that there are no records, and null for other errors. */
function noneIfSaid(error: unknown): never[] | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : null;
}

export interface Finding {
  what: 'SPF' | 'DKIM' | 'DMARC' | 'VERP' | 'PTR';
  /** `unknown`: no DNS server answered, or DNS cannot show it. */
  is: 'ok' | 'missing' | 'wrong' | 'unknown';
  says: string;
  record?: { name: string; type: 'TXT' | 'MX' | 'PTR'; value: string };
}

interface MailSetup {
  domain: string;
  bounceDomain: string | null;
  dkim: { key: KeyObject; selector: string } | null;
  server: string | null;
}

/**
 * Checks the DNS records that mailbox providers require from senders. Returns a finding for each, also for those that are
 * right or could not be queried.
 */
export async function checkMail(dns: Dns, setup: MailSetup): Promise<Finding[]> {
  const { domain, bounceDomain } = setup;
  const found = await Promise.all([
    checkSpf(dns, domain, setup),
    bounceDomain !== null && bounceDomain !== domain ? checkSpf(dns, bounceDomain, setup) : [],
    checkDkim(dns, setup),
    checkDmarc(dns, setup),
    checkBounces(dns, setup),
    checkNames(dns, setup),
  ]);
  return found.flat();
}

const findings =
  (what: Finding['what']) =>
  (is: Finding['is'], says: string, record?: Finding['record']): Finding => ({
    ...{ what, is, says },
    ...(record && { record }),
  });

const spf = findings('SPF');
const signature = findings('DKIM');
const policy = findings('DMARC');
const verp = findings('VERP');
const ptr = findings('PTR');

const silent = (name: string) => `DNS lookup of ${name} failed or timed out: try again later.`;

async function checkSpf(dns: Dns, domain: string, setup: MailSetup): Promise<Finding> {
  const found = await dns.texts(domain, 'v=spf1');
  if (!found) return spf('unknown', silent(domain));
  const [text] = found;
  if (text === undefined)
    return spf(
      'missing',
      `No SPF record: receivers cannot verify which servers send mail for ${domain}. If a provider sends your mail, use its \`include:\` instead of \`a:\`.`,
      { name: domain, type: 'TXT', value: `v=spf1 ${sourceOf(publicServer(setup))} -all` },
    );
  if (found.length > 1)
    return spf(
      'wrong',
      `${domain} has ${found.length} SPF records, so receivers ignore all of them: merge them into one.`,
    );
  if (/\s\+?all\b/.test(text))
    return spf('wrong', `${domain} allows every server to send its mail: end \`${text}\` with \`-all\`.`);
  return spf('ok', `${domain}: ${text}. Check that it includes your mail server.`);
}

/** Returns the public name of the mail server. A server on this machine or a private network gets a name of the domain. */
const publicServer = ({ server, domain }: MailSetup) =>
  server === null || server === 'localhost' || (isIP(server) !== 0 && !isPublicUnicast(server))
    ? `mail.${domain}`
    : server;

/** Returns the SPF mechanism of a server. */
const sourceOf = (server: string) => `${{ 0: 'a', 4: 'ip4', 6: 'ip6' }[isIP(server)]}:${server}`;

async function checkDkim(dns: Dns, { domain, dkim }: MailSetup): Promise<Finding> {
  if (!dkim)
    return signature(
      'unknown',
      'DKIM_KEY is not set, so mail is signed only if your mail server signs it. Send a test email to find out.',
    );
  const record = {
    name: `${dkim.selector}._domainkey.${domain}`,
    type: 'TXT',
    value: dkimRecord(dkim.key),
  } as const;
  const found = await dns.texts(record.name, '');
  if (!found) return signature('unknown', silent(record.name));
  if (found.length === 0)
    return signature(
      'missing',
      'No DKIM record: receivers cannot verify signatures made with DKIM_KEY.',
      record,
    );
  if (found.length > 1)
    return signature('wrong', `${record.name} has ${found.length} records: keep only this one.`, record);
  if (keyIn(found[0] ?? '') !== keyIn(record.value))
    return signature('wrong', `The key at ${record.name} does not match DKIM_KEY.`, record);
  return signature('ok', `The key at ${record.name} matches DKIM_KEY.`);
}

const keyIn = (text: string) => /(?:^|;)\s*p=([^;]*)/.exec(text)?.[1]?.replaceAll(/\s/g, '');

/** Checks DMARC. The record may also be at a parent domain. */
async function checkDmarc(dns: Dns, { domain }: MailSetup): Promise<Finding> {
  const labels = domain.split('.');
  const domains = labels.slice(0, -1).map((_, above) => labels.slice(above).join('.'));
  for (const at of domains) {
    const found = await dns.texts(`_dmarc.${at}`, 'v=DMARC1');
    if (!found) return policy('unknown', silent(`_dmarc.${at}`));
    if (found.length > 1) return policy('wrong', `_dmarc.${at} has ${found.length} records: keep only one.`);
    if (found.length === 1) return policy('ok', `_dmarc.${at}: ${found[0]}`);
  }
  return policy(
    'missing',
    `No DMARC record: receivers do not know how to handle forged mail from ${domain}. Large mailbox providers require one.`,
    {
      name: `_dmarc.${domain}`,
      type: 'TXT',
      value: `v=DMARC1; p=quarantine; rua=mailto:dmarc@${domain}`,
    },
  );
}

async function checkBounces(dns: Dns, setup: MailSetup): Promise<Finding> {
  const { domain, bounceDomain } = setup;
  if (bounceDomain === null)
    return verp(
      'unknown',
      `MAIL_BOUNCE_DOMAIN is not set: bounces go to no-reply@${domain} and are not processed. Set it, for example to bounces.${domain}, or have your provider report bounces (docs/operate/bounces.md); this check cannot see such reports.`,
    );
  const servers = await dns.mailServers(bounceDomain);
  if (!servers) return verp('unknown', silent(bounceDomain));
  const server = publicServer(setup);
  const name = isIP(server) ? `mail.${domain}` : server;
  const record = { name: bounceDomain, type: 'MX', value: `10 ${name}.` } as const;
  if (servers.length === 0)
    return verp('missing', `No MX record: bounces to ${bounceDomain} cannot be delivered.`, record);
  const addressLists = await Promise.all(servers.map((name) => dns.addresses(name)));
  if (addressLists.every((addresses) => addresses?.length === 0))
    return verp(
      'wrong',
      `The MX record of ${bounceDomain} names ${servers.join(', ')}, which has no address.`,
    );
  return verp('ok', `Bounces to ${bounceDomain} go to ${servers.join(', ')}.`);
}

/** Checks that each address of the mail server has a name that resolves back to it. */
async function checkNames(dns: Dns, { server }: MailSetup): Promise<Finding[]> {
  if (server === null) return [];
  const addresses = isIP(server) ? [server] : await dns.addresses(server);
  if (!addresses) return [ptr('unknown', silent(server))];
  const open = addresses.filter(isPublicUnicast);
  if (open.length === 0)
    return [
      ptr(
        'unknown',
        `${server} has no public address: check the PTR record of the address that it sends from.`,
      ),
    ];
  return Promise.all(open.map((address) => checkName(dns, address, server)));
}

async function checkName(dns: Dns, address: string, server: string): Promise<Finding> {
  const names = await dns.names(address);
  if (!names) return ptr('unknown', silent(address));
  const [name] = names;
  if (name === undefined)
    return ptr(
      'missing',
      `The address ${address} of ${server} has no PTR record, and many receivers refuse mail from such addresses. Ask the provider of the address to set it to ${isIP(server) ? 'the name of your mail server' : server}.`,
    );
  const back = await Promise.all(names.map((one) => dns.addresses(one)));
  if (back.some((addresses) => addresses?.includes(address)))
    return ptr('ok', `${address} resolves to ${name}, and ${name} resolves to ${address}.`);
  return ptr(
    'wrong',
    `${address} resolves to ${name}, but ${name} does not resolve to ${address}: add an address record to that name.`,
  );
}
