import {
  bodyLimitBytes,
  following,
  idempotency,
  keptRevisions,
  largeAnswers,
  mailLimits,
  maxBatchCalls,
  maxSlugLength,
  media,
  minPasswordLength,
  paging,
  retentionDays,
  retryDelaysSeconds,
  rotationOverlapHours,
  sessionDays,
  signInLimits,
  type Tier,
  type TierName,
  tiers,
  timeouts,
} from '../../shared/contract/limits.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { code, number, type Table } from './tables.ts';

const tierTexts = {
  normal: 'v1 and v2, reads and writes',
  moderate: 'administration of API keys and webhooks; tickets of transfers',
  strict: 'sign-in, codes and passwords',
  studio: 'calls of an owner session',
  site: 'pages, feeds and files of the site',
  mcp: 'requests of assistants',
  mcp_writes: 'writes of assistants',
  poll: 'event polling, in addition to `normal`',
} as const satisfies Record<TierName, string>;

export const tierTable = (): Table => [
  ['Tier', 'Requests per minute', 'Burst', 'Counted by', 'Applies to', 'Setting'],
  ...keysOf(tiers).map((name) => {
    const { perMinute, burst, per }: Tier = tiers[name];
    const subject = per === 'ip' ? 'client address' : 'API key';
    const setting = code(`RATE_LIMIT_${name.toUpperCase()}`);
    return [name, String(perMinute), String(burst), subject, tierTexts[name], setting];
  }),
];

const guessTexts = {
  guesses_person: 'failed sign-ins of one person',
  guesses_all: 'failed sign-ins of everyone together',
  guesses_browser: 'failed sign-ins from a browser in which the person signed in before',
  guesses_inside: 'failed second factors, proofs and current passwords of one person, each',
  codes_mailbox: 'sign-in codes for one mailbox on a site',
  codes_everywhere: 'sign-in codes for one mailbox from all sites',
  codes_browser: 'sign-in codes from a browser in which the person signed in before',
  registrations: 'assistants registered from one client address',
  assistant_tokens: 'token requests of one connected assistant',
} as const satisfies Record<keyof typeof signInLimits, string>;

const mailTexts = {
  confirmations_pause: 'confirmation emails to one subscriber of a site',
  confirmations_mailbox: 'confirmation emails of a site to one mailbox',
  confirmations_everywhere: 'confirmation emails of all sites to one mailbox',
  confirmations_site: 'confirmation emails of a site',
  invitations_site: 'invitations of a site',
  invitations_mailbox: 'invitations to one mailbox',
  mailing_tests: 'test emails of a site',
} as const satisfies Record<keyof typeof mailLimits, string>;

const duration = (minutes: number) => {
  if (minutes % 1_440 === 0) return `${minutes / 1_440} d`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
};

function windowTable<N extends string>(
  texts: Record<N, string>,
  limits: Record<N, { max: number; minutes: number }>,
): Table {
  const rows = keysOf(texts).map((name) => [
    texts[name],
    number(limits[name].max),
    duration(limits[name].minutes),
  ]);
  return [['Counted', 'Maximum', 'In any'], ...rows];
}

export const guessTable = () => windowTable(guessTexts, signInLimits);
export const mailTable = () => windowTable(mailTexts, mailLimits);

export const pagingTable = (): Table => [
  ['List', 'Minimum', 'Default', 'Maximum'],
  ...Object.entries({
    'v1 lists (`limit`)': paging.cursor,
    'v2 lists (`per_page`)': paging.page,
    'polled events (`limit`)': paging.poll,
    'webhook deliveries (`limit`)': paging.deliveries,
  }).map(([name, { min, max, default: usual }]) => [name, String(min), String(usual), String(max)]),
];

const retentionTexts = {
  events: 'events',
  deliveries: 'webhook deliveries and their attempts',
  views: 'page views with their details',
  viewCounts: 'page views per day',
  trash: 'deleted records in the trash',
  audit: 'audit log',
  checkouts: 'checkouts',
} as const satisfies Record<keyof typeof retentionDays, string>;

export const retentionTable = (): Table => [
  ['Data', 'Days'],
  ...keysOf(retentionTexts).map((name) => [retentionTexts[name], number(retentionDays[name])]),
];

const seconds = (milliseconds: number) => `${number(milliseconds / 1_000)} s`;

export const sizeTable = (): Table => [
  ['Limit', 'Value'],
  ['request body (`BODY_LIMIT_BYTES`)', `${number(bodyLimitBytes)} bytes`],
  ['calls in one RPC request', number(maxBatchCalls)],
  ['length of an `Idempotency-Key`', `${number(idempotency.keyLength.max)} characters`],
  ['retention of an `Idempotency-Key`', `${idempotency.hours} h`],
  ['revisions per record', number(keptRevisions)],
  ['length of a slug', `${number(maxSlugLength)} characters`],
  ['minimum length of a password', `${number(minPasswordLength)} characters`],
  ['session of an owner', `${sessionDays.owner} d`],
  ['session of a member', `${sessionDays.member} d`],
  ['validity of the previous secret after a rotation', `${rotationOverlapHours} h`],
  ['delays between webhook attempts', retryDelaysSeconds.map((delay) => duration(delay / 60)).join(', ')],
  ['followers of events per site', number(following.perSite)],
  ['pixels of an image', number(media.maxPixels)],
  ['widths of renditions', media.widths.map((width) => `${number(width)} px`).join(', ')],
  ['length of an alternative text or caption', `${number(media.maxAltLength)} characters`],
  ['uploads at the same time per process (per site)', `${media.atOnce.inAll} (${media.atOnce.perSite})`],
  ['size of a list that is sent in parts', `${number(largeAnswers.fromBytes)} bytes`],
];

export const timeoutTable = (): Table => [
  ['Transfer', 'Fails after', 'Minimum speed', 'Measured over'],
  ['request without a file', seconds(timeouts.requestMs), '-', '-'],
  ...Object.entries({
    response: timeouts.answer,
    'large list, if another one waits': timeouts.largeAnswer,
    upload: timeouts.upload,
    'export or import of a site': timeouts.transfer,
  }).map(([name, limit]) => [
    name,
    'maxMs' in limit ? seconds(limit.maxMs) : '-',
    `${number(limit.minBytesPerSecond)} bytes/s`,
    seconds(limit.stalledMs),
  ]),
];
