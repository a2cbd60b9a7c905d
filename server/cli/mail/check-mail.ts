import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { dkimRecord } from '../../../shared/mail/dkim.ts';
import { isPublicUnicast } from '../../../shared/webhooks/addresses.ts';
import type { Dns } from './dns.ts';

/** What was looked for, and what there is. */
export interface Finding {
  what: 'SPF' | 'DKIM' | 'DMARC' | 'VERP' | 'PTR';
  /** `unknown`: no server of the DNS said, or nothing there can say. */
  is: 'there' | 'missing' | 'wrong' | 'unknown';
  says: string;
  /** What to add to the DNS. */
  record?: { name: string; type: 'TXT' | 'MX' | 'PTR'; value: string };
}

export interface MailSetup {
  /** Of the addresses that mail comes from. */
  domain: string;
  /** Of those that it comes back to. */
  bounceDomain: string | null;
  dkim: { key: KeyObject; selector: string } | null;
  /** The mail server that it is handed to. */
  server: string | null;
}

/** Looks up whatever mailbox providers ask of who sends mail. */
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

/** Findings about one thing. */
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

const silent = (name: string) => `No DNS server answered for ${name}: try again later.`;

async function checkSpf(dns: Dns, domain: string, setup: MailSetup): Promise<Finding> {
  const found = await dns.texts(domain, 'v=spf1');
  if (!found) return spf('unknown', silent(domain));
  const [text] = found;
  if (text === undefined)
    return spf(
      'missing',
      `Nothing says which servers send for ${domain}. If your mail server is a provider's, take its \`include:\` in place of \`a:\`.`,
      { name: domain, type: 'TXT', value: `v=spf1 ${sourceOf(publicServer(setup))} -all` },
    );
  if (found.length > 1)
    return spf('wrong', `${domain} has ${found.length} records, and receivers heed none: put them into one.`);
  if (/\s\+?all\b/.test(text))
    return spf('wrong', `${domain} lets every server send for it: end \`${text}\` with \`-all\`.`);
  return spf('there', `${domain}: ${text}. Your mail server has to be among these.`);
}

/** As the world knows the mail server: one of this machine, or of a network of one's own, by a name of the domain. */
const publicServer = ({ server, domain }: MailSetup) =>
  server === null || server === 'localhost' || (isIP(server) !== 0 && !isPublicUnicast(server))
    ? `mail.${domain}`
    : server;

/** A server as SPF names it. */
const sourceOf = (server: string) => `${{ 0: 'a', 4: 'ip4', 6: 'ip6' }[isIP(server)]}:${server}`;

async function checkDkim(dns: Dns, { domain, dkim }: MailSetup): Promise<Finding> {
  if (!dkim)
    return signature(
      'unknown',
      'DKIM_KEY is not set, so mail is signed only if your mail server does it: the test mail shows that.',
    );
  const record = {
    name: `${dkim.selector}._domainkey.${domain}`,
    type: 'TXT',
    value: dkimRecord(dkim.key),
  } as const;
  const found = await dns.texts(record.name, '');
  if (!found) return signature('unknown', silent(record.name));
  if (found.length === 0)
    return signature('missing', 'Nobody can check what DKIM_KEY signs: its record lacks.', record);
  if (found.length > 1)
    return signature('wrong', `${record.name} has ${found.length} records: keep this one.`, record);
  if (keyIn(found[0] ?? '') !== keyIn(record.value))
    return signature('wrong', `${record.name} has another key than DKIM_KEY.`, record);
  return signature('there', `${record.name} has the key that mail is signed with.`);
}

const keyIn = (text: string) => /(?:^|;)\s*p=([^;]*)/.exec(text)?.[1]?.replaceAll(/\s/g, '');

/** It may stand at a domain above, too. */
async function checkDmarc(dns: Dns, { domain }: MailSetup): Promise<Finding> {
  const labels = domain.split('.');
  const domains = labels.slice(0, -1).map((_, above) => labels.slice(above).join('.'));
  for (const at of domains) {
    const found = await dns.texts(`_dmarc.${at}`, 'v=DMARC1');
    if (!found) return policy('unknown', silent(`_dmarc.${at}`));
    if (found.length > 1) return policy('wrong', `_dmarc.${at} has ${found.length} records: keep one.`);
    if (found.length === 1) return policy('there', `_dmarc.${at}: ${found[0]}`);
  }
  return policy(
    'missing',
    `Nothing says what receivers do with mail that pretends to come from ${domain}; large ones want it said.`,
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
      `Nobody learns which readers are gone: what comes back goes to no-reply@${domain}. Set MAIL_BOUNCE_DOMAIN, such as bounces.${domain}, or report it by your provider's hooks (docs/bounces.md), which nothing here can see.`,
    );
  const servers = await dns.mailServers(bounceDomain);
  if (!servers) return verp('unknown', silent(bounceDomain));
  const server = publicServer(setup);
  const name = isIP(server) ? `mail.${domain}` : server;
  const record = { name: bounceDomain, type: 'MX', value: `10 ${name}.` } as const;
  if (servers.length === 0)
    return verp('missing', `What comes back to ${bounceDomain} has nowhere to go.`, record);
  const places = await Promise.all(servers.map((name) => dns.addresses(name)));
  if (places.every((addresses) => addresses?.length === 0))
    return verp('wrong', `${bounceDomain} leads to ${servers.join(', ')}, which has no address.`);
  return verp('there', `What comes back to ${bounceDomain} goes to ${servers.join(', ')}.`);
}

/** A name of each address of the mail server, which leads back to it. */
async function checkNames(dns: Dns, { server }: MailSetup): Promise<Finding[]> {
  if (server === null) return [];
  const addresses = isIP(server) ? [server] : await dns.addresses(server);
  if (!addresses) return [ptr('unknown', silent(server))];
  const open = addresses.filter(isPublicUnicast);
  if (open.length === 0)
    return [
      ptr('unknown', `${server} has no address that the world sees: look up the one that it sends from.`),
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
      `${address} of ${server} has no name, and many refuse mail from such. Whoever gave you the address sets it: ${isIP(server) ? 'the name of your mail server' : server}.`,
    );
  const back = await Promise.all(names.map((one) => dns.addresses(one)));
  if (back.some((addresses) => addresses?.includes(address)))
    return ptr('there', `${address} is ${name}, and that is ${address}.`);
  return ptr(
    'wrong',
    `${address} is named ${name}, which does not lead back to it: give that name an address.`,
  );
}
