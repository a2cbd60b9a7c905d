import { mailboxOf } from '../../shared/contract/email.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { Membership } from '../../shared/db/entities/audience.ts';
import { CheckoutEntity, OfferEntity } from '../../shared/db/entities/offers.ts';
import { insertPurchase } from '../../shared/selling/insert-purchase.ts';
import { queueSaleMails } from '../../shared/selling/sale-mails.ts';
import { found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction, lockRow } from '../api/transaction.ts';

// The demo provider moves no money. It lets people try buying on their own machine, before a payment provider is connected.

/**
 * Pays a checkout: records its purchase or membership, once however often the button is pressed. An expired checkout stays unpaid.
 * Throws `not_found`.
 */
export function payDemoCheckout(deps: Deps, siteId: string, token: string): Promise<void> {
  return inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, CheckoutEntity, { site_id: siteId, token, session_ref: null });
    const now = deps.clock.now();
    if (row.state !== 'open') return;
    const isLate = row.expires_at <= now;
    em.assign(row, { state: isLate ? 'expired' : 'paid', updated: now });
    await em.flush();
    if (isLate) return;
    const offer = found(await em.findOne(OfferEntity, { site_id: siteId, id: row.offer_id }));
    const { amount, currency, email } = row;
    const sale = {
      ...{ amount, currency, offer_id: offer.id },
      ...{ provider: 'demo', external_id: `demo_${row.id}`, livemode: false },
    };
    if (offer.collection && offer.record_id) {
      const record = { content_type: offer.collection, content_id: offer.record_id };
      const bought = await insertPurchase(em, deps, siteId, { ...sale, ...record, buyer_email: email });
      if (bought) await queueSaleMails(em, { site_id: siteId, collection: 'purchases', id: bought.id });
      return;
    }
    const trial = row.trial_days ?? 0;
    const interval: 'month' | 'year' = offer.interval === 'year' ? 'year' : 'month';
    const open_until = trial > 0 ? daysAfter(now, trial) : monthsAfter(now, interval === 'year' ? 12 : 1);
    const membership = {
      ...{ ...sale, site_id: siteId, id: newRecordId(now, deps.randomBytes), email, tiers: offer.tiers },
      ...{
        state: trial > 0 ? ('trialing' as const) : ('active' as const),
        blocked: false,
        trial_used: trial > 0,
      },
      ...{ interval, open_until, cancel_at: null, as_of: now, created: now, updated: now },
    };
    await em.persist(em.create(Membership, membership)).flush();
    await queueSaleMails(em, { site_id: siteId, collection: 'memberships', id: membership.id });
  });
}

/** Ends a demo membership immediately. Throws `not_found`. */
export function endDemoMembership(deps: Deps, siteId: string, { id, email }: { id: string; email: string }) {
  return inTransaction(deps, siteId, async (em) => {
    const own = { site_id: siteId, id, mailbox: mailboxOf(email), provider: 'demo' };
    const row = await lockRow(em, Membership, own);
    const now = deps.clock.now();
    if (row.state !== 'ended') em.assign(row, { state: 'ended', open_until: now, as_of: now, updated: now });
  });
}

const daysAfter = (time: Date, days: number) => new Date(time.getTime() + days * 86_400_000);

/** Returns the same day of a later month, or the last day of that month if it is shorter. */
function monthsAfter(time: Date, months: number): Date {
  const later = new Date(time);
  later.setUTCMonth(later.getUTCMonth() + months);
  if (later.getUTCDate() !== time.getUTCDate()) later.setUTCDate(0);
  return later;
}
