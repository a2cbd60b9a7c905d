import { sql } from 'kysely';
import { renewalOf } from '../../shared/contract/audience/membership.ts';
import { ownOriginOf, sitePaths } from '../../shared/contract/site-paths.ts';
import { isTimeZone, utc } from '../../shared/contract/time-zone.ts';
import type { JobPayload, SaleNews } from '../../shared/db/jobs.ts';
import { en, type SiteStrings } from '../../shared/i18n/en.ts';
import { priceText } from '../../shared/i18n/price.ts';
import { siteStrings } from '../../shared/i18n/site-strings.ts';
import { sendTransactionalEmail } from '../../shared/mail/transactional-email.ts';
import { findSoldRecords } from '../../shared/selling/sold-records.ts';
import { type EmailDeps, mailOwners } from './transactional-emails.ts';

interface Sale {
  email: string;
  content_type: string | null;
  content_id: string | null;
  /** Title of the offer; null if the sale was made elsewhere. */
  offer: string | null;
  amount: number | null;
  currency: string | null;
  interval: 'once' | 'month' | 'year';
  /** End of a trial; null without one. */
  free_until: Date | null;
  livemode: boolean;
}

/**
 * Emails a buyer what they bought, and how to sign in. Does nothing if the sale was deleted. Rejects if the mail server refuses the
 * email.
 */
export async function mailBuyer(
  deps: EmailDeps,
  { site_id: siteId, collection, id }: JobPayload<'mail_buyer'>,
) {
  const sale = await findSale(deps, { site_id: siteId, collection, id });
  if (!sale) return;
  await sendTransactionalEmail(deps, { kind: 'sale', siteId, to: sale.email }, (site) => {
    const { name, language, time_zone } = site;
    const strings = siteStrings(language);
    const isMembership = collection === 'memberships';
    const timeZone = isTimeZone(time_zone) ? time_zone : utc;
    const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone });
    const price = priceOf(strings, sale, language);
    const link = new URL(
      isMembership ? sitePaths.account : (sale.path ?? sitePaths.account),
      ownOriginOf(site, deps) ?? deps.publicUrl,
    ).href;
    const paragraphs = [
      isMembership ? strings.joined : strings.bought(sale.title),
      [price && strings.priceIs(price), sale.free_until && strings.freeUntil(day.format(sale.free_until))]
        .filter(Boolean)
        .join('\n'),
      link,
      strings.howToSignIn(sale.email),
    ];
    return {
      subject: isMembership ? strings.membershipSubject(name) : strings.saleSubject(name),
      text: `${paragraphs.filter(Boolean).join('\n\n')}\n`,
      language: strings.language,
      action: { href: link, label: isMembership ? strings.yourAccount : strings.openNow },
    };
  });
}

/**
 * Emails a site's owners about a sale or a dispute. Does nothing if the sale was deleted, or if the site has no owner. Rejects if
 * the mail server refuses the email.
 */
export async function notifyOfSale(deps: EmailDeps, { news, ...sold }: JobPayload<'tell_owner_of_sale'>) {
  const sale = await findSale(deps, sold);
  if (!sale) return;
  const link = new URL(`/studio/${sold.collection}`, deps.publicUrl).href;
  const price = priceOf(en, sale, 'en');
  const test = sale.livemode ? '' : '\nThis was a test. No money moved.\n';
  await mailOwners(deps, sold.site_id, (site) => {
    const { subject, text } = messages[news](`${sale.title}${price && ` (${price})`}`, sale.email);
    return {
      subject: `${site}: ${subject}`,
      text: `${text}\n${test}\n${link}\n`,
      action: { href: link, label: sold.collection === 'purchases' ? 'Open purchases' : 'Open memberships' },
    };
  });
}

const messages: Record<SaleNews, (what: string, email: string) => { subject: string; text: string }> = {
  sold: (what, email) => ({ subject: 'new sale', text: `${email} bought ${what}.` }),
  disputed: (what, email) => ({
    subject: 'a payment is disputed',
    text: `${email} or their bank disputed the payment for ${what}. It opens nothing until you win the dispute. Answer it at your payment provider; the time to do so is limited.`,
  }),
};

const priceOf = (strings: SiteStrings, { amount, currency, interval }: Sale, language: string) =>
  amount !== null && currency ? priceText(strings, { amount, currency, interval }, language) : '';

/**
 * Finds a sale, with the title and path of the record that it opens. Returns null if the sale was deleted. `path` is
 * null for a membership, and for a record that was deleted or has no public page. Without a record, the title is that
 * of the offer.
 */
async function findSale(
  { database }: Pick<EmailDeps, 'database'>,
  { site_id: siteId, collection, id }: JobPayload<'mail_buyer'>,
): Promise<(Sale & { title: string; path: string | null }) | null> {
  const columns =
    collection === 'purchases'
      ? sql`s.buyer_email as email, s.content_type, s.content_id, 'once' as interval, null::timestamptz as free_until`
      : sql`s.email, null as content_type, null as content_id, coalesce(s.interval, 'once') as interval,
          case when s.state = 'trialing' then s.open_until end as free_until`;
  const { rows } = await sql<Sale & { provider: string }>`
    select ${columns}, o.title as offer, s.amount::float8 as amount, s.currency, s.livemode, s.provider
    from ${sql.table(collection)} s left join offers o on o.site_id = s.site_id and o.id = s.offer_id
    where s.site_id = ${siteId} and s.id = ${id}`.execute(database.em.getKysely());
  const [row] = rows;
  if (!row) return null;
  const { content_type, content_id, free_until, provider } = row;
  const [record] =
    content_type && content_id ? await findSoldRecords({ database }, siteId, content_type, [content_id]) : [];
  return {
    ...row,
    free_until: free_until && renewalOf({ provider, open_until: free_until }),
    title: record?.title ?? row.offer ?? (collection === 'purchases' ? 'a record' : 'a membership'),
    path: record?.path ?? null,
  };
}
