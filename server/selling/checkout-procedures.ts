import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { membership } from '../../shared/contract/audience/membership.ts';
import { purchase } from '../../shared/contract/audience/purchase.ts';
import { Updated } from '../../shared/contract/envelopes.ts';
import { Checkout, CreateCheckout, checkoutStates } from '../../shared/contract/features/checkouts.ts';
import { OfferedRecord, ShownOffer } from '../../shared/contract/features/offers.ts';
import { Email } from '../../shared/contract/fields.ts';
import { RecordId } from '../../shared/contract/record-id.ts';
import { timestamp } from '../../shared/contract/timestamps.ts';
import { wakePayments } from '../../shared/selling/connection.ts';
import { isLoopbackHost } from '../../shared/selling/test-sales.ts';
import { siteProcedure } from '../api/access/procedures.ts';
import { get, post } from '../api/access/route.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction } from '../api/transaction.ts';
import { router, updates } from '../api/trpc.ts';
import { findMember, getSignedIn } from '../audience/members/member-session.ts';
import { findReceipt, openPortal } from './billing.ts';
import { beginCheckout, getSite, shownState } from './checkouts.ts';
import { endDemoMembership, payDemoCheckout } from './demo.ts';
import { listHoldings } from './holdings.ts';
import { findOffer, findRecordOf } from './offers.ts';
import { findVisitedSeller } from './sellers.ts';
import { getCheckout } from './stripe-checkout.ts';

const providerErrors = ['payments_not_configured', 'provider_unavailable', 'provider_refused'] as const;

const begins = {
  reachesOut: true,
  errors: [...providerErrors, 'offer_unavailable', 'already_entitled'],
} as const;

const BeginCheckout = z.strictObject({
  offer_id: RecordId.describe('ID of the offer'),
  email: Email.describe(
    'Email address that the sale belongs to; ignored for a member who is signed in',
  ).optional(),
});

const Begun = z.strictObject({
  id: RecordId,
  url: z.string().describe('URL of the payment page'),
  expires_at: timestamp('Time at which the payment page expires'),
});

const checkout = router({
  begin: siteProcedure
    .meta({ tier: 'strict', memberToken: true })
    .meta(begins)
    .input(BeginCheckout)
    .output(Begun)
    .mutation(async ({ ctx, input }) => {
      const member = await findMember(ctx);
      const email = member?.email ?? input.email;
      if (email === undefined)
        throw new ApiError('validation_failed', 'email: is required without a member session');
      const kind = member ? 'member' : 'visitor';
      const { isNew: _, ...begun } = await beginCheckout(ctx, input.offer_id, { email, kind }, null);
      return begun;
    }),
});

const scoped = { tag: 'payments' } as const;

const v2 = router({
  create: post({ ...scoped, scope: 'write:payments', path: '/v2/checkouts', summary: 'Start a checkout' })
    .meta({ audited: true, mayBeThere: true })
    .meta(begins)
    .input(CreateCheckout)
    .output(Checkout)
    .mutation(async ({ ctx, input }) => {
      const { deps, siteId, caller } = ctx;
      const { offer_id, email, success_url, cancel_url } = input;
      const origins = await ownOriginsOf(deps, siteId);
      if (caller.kind === 'key') origins.push(...caller.allowed_origins);
      const urls = {
        success_url: ownUrl('success_url', success_url, origins),
        cancel_url: ownUrl('cancel_url', cancel_url, origins),
      };
      const { id, isNew } = await beginCheckout(ctx, offer_id, { email, kind: 'key' }, urls);
      if (!isNew) ctx.answer.status = 200;
      return checkoutOf(deps, siteId, id);
    }),
  get: get({ ...scoped, scope: 'read:payments', path: '/v2/checkouts/{id}', summary: 'Get a checkout' })
    .input(z.strictObject({ id: RecordId }))
    .output(Checkout)
    .query(({ ctx, input }) => checkoutOf(ctx.deps, ctx.siteId, input.id)),
});

async function checkoutOf(deps: Deps, siteId: string, id: string) {
  const row = await getCheckout(deps, siteId, { id });
  const state = shownState(row, deps.clock.now());
  return { id, url: (state === 'open' && row.url) || null, state, expires_at: row.expires_at };
}

/** Origins of a site's pages. */
async function ownOriginsOf(deps: Deps, siteId: string): Promise<string[]> {
  return [(await getSite(deps, siteId)).origin, deps.config.publicUrl.origin];
}

/**
 * Returns the normalized URL of a page of the caller. Throws `validation_failed` unless it is on one of `origins`, uses
 * https or a loopback host, and has no user name.
 */
function ownUrl(name: string, text: string, origins: readonly string[]): string {
  const refuse = (rule: string) => new ApiError('validation_failed', `${name}: ${rule}`);
  const url = new URL(text);
  if (url.username || url.password) throw refuse('must not contain a user name or password');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname)))
    throw refuse('must be an https URL');
  if (!origins.some((origin) => URL.canParse(origin) && new URL(origin).origin === url.origin))
    throw refuse('must be on an origin of the site or in `allowed_origins` of the key');
  return url.href;
}

const billing = router({
  open: siteProcedure
    .meta({
      ...{ tier: 'strict', memberToken: true, reachesOut: true },
      errors: ['not_found', ...providerErrors],
    })
    .input(z.strictObject({ membership_id: RecordId.describe('ID of a membership of the member') }))
    .output(z.strictObject({ url: z.string().describe('URL at which the member manages the membership') }))
    .mutation(async ({ ctx, input: { membership_id: id } }) => {
      const { email } = await getSignedIn(ctx);
      return { url: await openPortal(ctx.deps, await getSite(ctx.deps, ctx.siteId), { id, email }) };
    }),
});

const ByToken = z.strictObject({ token: z.string().max(200) });

/** A checkout by the token of its return URL. Pages show only a part of the email address. */
const checkoutByToken = siteProcedure
  .meta({ memberToken: true })
  .input(ByToken)
  .output(
    z.strictObject({
      offer: ShownOffer,
      record: OfferedRecord.nullable(),
      state: z.enum(checkoutStates),
      email: z.string(),
      amount: z.number(),
      currency: z.string(),
      trial_days: z.int().nullable(),
      is_demo: z.boolean(),
      is_signed_in: z.boolean(),
    }),
  )
  .query(async ({ ctx, input }) => {
    const { deps, siteId } = ctx;
    const row = await getCheckout(deps, siteId, input);
    const sold = found(await findOffer(deps, siteId, row.offer_id));
    const seller = await findVisitedSeller(ctx);
    const { email, amount, currency, trial_days = null } = row;
    return {
      ...{ offer: ShownOffer.parse(sold), record: await findRecordOf(deps, siteId, sold) },
      ...{ state: shownState(row, deps.clock.now()), email, amount, currency, trial_days },
      is_demo: seller?.kind === 'demo' && row.session_ref === null,
      is_signed_in: (await findMember(ctx))?.email === email,
    };
  });

/**
 * Pauses while a buyer who returned from Stripe waits for the worker: their maximum number, and the length of each in
 * milliseconds.
 */
const waits = { max: 12, ms: 250 };

/** Wakes the worker for a payment at Stripe, and waits up to 3 seconds for its outcome. */
const awaitPayment = siteProcedure
  .meta({ changesNothing: true })
  .input(ByToken)
  .output(Updated)
  .mutation(
    updates(async ({ ctx: { deps, siteId }, input }) => {
      const isWaiting = async () => {
        const { state, session_ref } = await getCheckout(deps, siteId, input);
        return session_ref !== null && (state === 'opening' || state === 'open');
      };
      if (!(await isWaiting())) return;
      await inTransaction(deps, siteId, (em) => wakePayments(em, siteId, deps.clock.now()));
      for (let wait = 0; wait < waits.max; wait++) {
        await delay(waits.ms);
        if (!(await isWaiting())) return;
      }
    }),
  );

const payDemo = siteProcedure
  .input(ByToken)
  .output(Updated)
  .mutation(
    updates(async ({ ctx, input }) => {
      if ((await findVisitedSeller(ctx))?.kind !== 'demo') throw new ApiError('not_found');
      await payDemoCheckout(ctx.deps, ctx.siteId, input.token);
    }),
  );

const ById = z.strictObject({ id: z.string() });

const endDemo = siteProcedure
  .input(ById)
  .output(Updated)
  .mutation(
    updates(async ({ ctx, input }) => {
      const { email } = await getSignedIn(ctx);
      await endDemoMembership(ctx.deps, ctx.siteId, { id: input.id, email });
    }),
  );

const HeldPurchase = z.strictObject({
  ...purchase.read.pick({ id: true, amount: true, currency: true, state: true, created: true }).shape,
  record: OfferedRecord.nullable(),
  has_receipt: z.boolean(),
});

const HeldMembership = z.strictObject({
  ...membership.read.pick({ id: true, provider: true, state: true, blocked: true, open_until: true }).shape,
  ...membership.read.pick({ cancel_at: true, amount: true, currency: true, interval: true }).shape,
  title: z.string().nullable(),
});

/** Purchases and memberships of the member who is signed in. */
const holdings = siteProcedure
  .output(z.strictObject({ purchases: z.array(HeldPurchase), memberships: z.array(HeldMembership) }))
  .query(async ({ ctx }) => listHoldings(ctx.deps, ctx.siteId, (await getSignedIn(ctx)).email));

/** URL of the receipt for a purchase of the member who is signed in. */
const receipt = siteProcedure
  .input(ById)
  .output(z.strictObject({ url: z.string() }))
  .query(async ({ ctx, input: { id } }) => {
    const { email } = await getSignedIn(ctx);
    return { url: await findReceipt(ctx.deps, ctx.siteId, { id, email }) };
  });

export const checkouts = {
  v2,
  site: { checkout, billing },
  visitors: { checkout: checkoutByToken, awaitPayment, payDemo, endDemo, holdings, receipt },
};
