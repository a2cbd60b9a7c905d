import { type StripeSite, startStripeSite } from './selling-site.ts';

/** Rows of purchases, the oldest first. */
export const sales = (app: StripeSite) =>
  app.rows(
    'select buyer_email, amount::float8, currency, state, refunded_amount::float8, dispute, livemode from purchases order by created, id',
  );

/** Purchase of the sold post as its row is stored. */
export const paid = {
  buyer_email: 'grace@example.com',
  amount: 49,
  currency: 'EUR',
  state: 'paid',
  refunded_amount: 0,
  dispute: 'none',
  livemode: false,
};

/** Rows of memberships, the oldest first. */
export const members = (app: StripeSite) =>
  app.rows<{
    email: string;
    state: string;
    blocked: boolean;
    open_until: Date;
    cancel_at: Date | null;
    trial_used: boolean;
  }>(
    'select email, tiers, state, blocked, open_until, cancel_at, trial_used, interval, amount::float8, currency from memberships order by created, id',
  );

/** States of checkouts, the oldest first. */
export const checkouts = (app: StripeSite) => app.rows('select state from checkouts order by created, id');

/** Returns the ID of the charge that paid a session. */
export const chargeOf = async ({ client }: StripeSite, session: string) => {
  const { payment_intent } = await client.checkout.sessions.retrieve(session, { expand: ['payment_intent'] });
  if (!payment_intent || typeof payment_intent === 'string') throw new Error('no payment');
  return String(payment_intent.latest_charge);
};

/** Site outside production, where test sales count, with an offer. */
export async function startSales(options: Parameters<typeof startStripeSite>[0] = {}) {
  const app = await startStripeSite(options);
  const offers = { post: await app.sellPost(), month: await app.sellMembership({ trial_days: null }) };
  await app.connect();
  await app.pass();
  return { ...app, offers };
}
