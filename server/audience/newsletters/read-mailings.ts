import { sql } from 'kysely';
import type { z } from 'zod';
import type { AudienceCount, CountAudience } from '../../../shared/contract/features/mailing-audience.ts';
import type { DeliveryGap } from '../../../shared/contract/features/mailings.ts';
import {
  type ListMailings,
  type ListReceived,
  type ListRecipients,
  type Mailing,
  MailingRecipient,
  newsletter,
  recipientStates,
} from '../../../shared/contract/features/mailings.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import type { Database } from '../../../shared/db/config.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { bodyFor, isMeant, subscribersOf } from '../../../shared/newsletter/audience.ts';
import { hasBought } from '../../../shared/selling/entitlements.ts';
import { found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';

interface ReadMailingOptions {
  database: Database;
  siteId: string;
  /** True for calls with an API key: titles of drafts and hidden posts are then omitted. False in the studio. */
  publicOnly: boolean;
}

/** Mailings of a site with their counts, newest first. */
const rowsOf = ({ database, siteId, publicOnly }: ReadMailingOptions) =>
  database.em
    .getKysely()
    .selectFrom('mailings')
    .select(['id', 'post_id', 'preheader', 'audience', 'on_unknown', 'status', 'pause_reason', 'recipients'])
    .select(['send_at', 'frozen_at', 'ended_at', 'expected', 'created', 'updated', ...recipientStates])
    .select(
      sql<string>`coalesce(nullif(mailings.subject, ''), (
        select title from posts p where p.site_id = mailings.site_id and p.id = mailings.post_id
          ${publicOnly ? sql`and p.is_public` : sql``}
      ), '')`.as('subject'),
    )
    .where('site_id', '=', siteId);

type Row = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>;

function mailingOf(row: Row): z.infer<typeof Mailing> {
  const { queued, sending, retrying, unknown, accepted, refused, skipped, bounced, complained, ...rest } =
    row;
  const counts = { queued, sending, retrying, unknown, accepted, refused, skipped, bounced, complained };
  return { ...rest, counts };
}

/**
 * Lists one page of a site's mailings, newest first, and the number of all matching ones. `publicOnly` omits the titles of
 * posts that are not public.
 */
export async function listMailings(
  reading: ReadMailingOptions,
  { post_id, status, ...page }: z.output<typeof ListMailings>,
) {
  const where = [
    ...(post_id === undefined ? [] : [sql<boolean>`post_id = ${post_id}`]),
    ...(status === undefined ? [] : [sql<boolean>`status = any(${status}::text[])`]),
  ];
  const list = await newestPage({ ...reading, rows: rowsOf(reading), where }, page);
  return { ...list, items: list.items.map(mailingOf) };
}

/** Gets a mailing. Throws `not_found` if the site has none with this ID. */
export const getMailing = async (reading: ReadMailingOptions, id: string) =>
  mailingOf(found(await rowsOf(reading).where('id', '=', id).executeTakeFirst()));

/**
 * Lists one page of a mailing's recipients, latest subscribers first, and their total number, which is stored with the
 * mailing. Throws `not_found`.
 */
export async function listRecipients(
  reading: ReadMailingOptions,
  { id, state, ...page }: z.output<typeof ListRecipients>,
) {
  const { recipients, counts } = await getMailing(reading, id);
  const { database, siteId } = reading;
  const all = database.em
    .getKysely()
    .selectFrom('mailing_recipients')
    .select(namesOf(MailingRecipient.omit({ unconfirmed: true })))
    .select('doubts as unconfirmed')
    .where('site_id', '=', siteId)
    .where('mailing_id', '=', id);
  const rows = state === undefined ? all : all.where('state', '=', state);
  const counted = async () => (state === undefined ? recipients : counts[state]);
  return newestPage({ database, siteId, rows, counted }, { ...page, by: ['subscriber_id'] });
}

/**
 * Lists one page of the newsletters that one subscriber receives, latest mailing first, and their total number. They are
 * queried by mailing, of which a site has few.
 */
export function listReceived(
  { database, siteId }: ReadMailingOptions,
  { subscriber_id, ...page }: z.output<typeof ListReceived>,
) {
  const rows = database.em
    .getKysely()
    .selectFrom('mailings as m')
    .innerJoin('mailing_recipients as r', (join) =>
      join.onRef('r.site_id', '=', 'm.site_id').onRef('r.mailing_id', '=', 'm.id'),
    )
    .select(['r.id', 'm.id as mailing_id', 'm.subject', 'r.state', 'r.body', 'r.attempts'])
    .select('r.doubts as unconfirmed')
    .select(['r.reply_code', 'r.reply_status', 'r.due_at', 'r.ended_at'])
    .where('m.site_id', '=', siteId)
    .where('r.subscriber_id', '=', subscriber_id);
  return newestPage({ database, siteId, rows }, { ...page, by: ['m.created', 'm.id'] });
}

/**
 * Lists the conditions that are missing to deliver the site's newsletters; empty if there are none. Throws
 * `not_found` if there is no such site.
 */
export async function findDeliveryGaps(
  { database, mailer, config }: Deps,
  siteId: string,
): Promise<DeliveryGap[]> {
  const sites = database.em.getKysely().selectFrom('sites').select('newsletter');
  const { newsletter: settings } = found(await sites.where('id', '=', siteId).executeTakeFirst());
  const isSent = mailer.delivers && !mailer.outbox;
  const gaps: [DeliveryGap, boolean][] = [
    ['mail_server', !mailer.delivers],
    ['mail_kept', mailer.outbox !== null],
    ['signature', isSent && !mailer.signs],
    ['bounce_domain', isSent && config.bounceDomain === null],
    ['postal_address', settings.postal_address === ''],
  ];
  return gaps.flatMap(([gap, applies]) => (applies ? [gap] : []));
}

interface CountedReaders {
  /** Number of recipients by entitlements. */
  readers: { is_member: boolean; tiers: string[]; has_bought: boolean; recipients: number }[];
  by_source: { source: string; recipients: number }[];
}

/**
 * Counts who would receive a post now: by source, by access tier, and by whether they may read all of it. It reads all
 * subscribers, so it counts as a search. Access is decided once per group of equal readers. Throws `not_found` if there is
 * no such post, and `DatabaseBusyError` if too many searches are waiting.
 */
export function countAudience(
  { database, config: { countsTest } }: Pick<Deps, 'database' | 'config'>,
  siteId: string,
  { post_id, audience }: z.output<typeof CountAudience>,
): Promise<z.infer<typeof AudienceCount>> {
  const db = database.em.getKysely();
  return database.quotas.searches(siteId, async () => {
    const posts = db.selectFrom('posts').select(['id', 'access_tier']);
    const post = found(
      await posts.where('site_id', '=', siteId).where('id', '=', post_id).executeTakeFirst(),
    );
    const reader = { siteId, email: sql`s.email`, countsTest };
    const bought = { collection: 'posts', id: post_id } as const;
    const { rows } = await sql<CountedReaders>`
      with counted as materialized (
        select s.source, e.is_member, e.tiers, ${hasBought(reader, bought)} as has_bought, count(*) as recipients
        from ${subscribersOf(siteId, countsTest)} and ${isMeant(audience)} group by 1, 2, 3, 4
      )
      select (select coalesce(json_agg(r), '[]') from (
          select is_member, tiers, has_bought, sum(recipients) as recipients from counted group by 1, 2, 3
        ) r) as readers,
        (select coalesce(json_agg(r), '[]') from (
          select source, sum(recipients) as recipients from counted group by 1 order by 2 desc, 1 limit ${newsletter.maxGroups}
        ) r) as by_source`.execute(db);
    const { readers, by_source } = found(rows[0]);
    const recipients = sumOf(readers);
    const open = sumOf(readers.filter((reader) => bodyFor(post, reader) === 'open'));
    return { recipients, open, closed: recipients - open, by_source, by_tier: byTier(readers) };
  });
}

const sumOf = (counts: readonly { recipients: number }[]) =>
  counts.reduce((sum, { recipients }) => sum + recipients, 0);

/** Counts recipients by tier. A reader with several tiers counts in each, and every member as `registered`. */
function byTier(readers: CountedReaders['readers']) {
  const counts = new Map<string, number>();
  for (const { is_member, tiers, recipients } of readers)
    for (const tier of new Set([...(is_member ? ['registered'] : []), ...tiers]))
      counts.set(tier, (counts.get(tier) ?? 0) + recipients);
  return [...counts].map(([tier, recipients]) => ({ tier, recipients }));
}
