import { z } from 'zod';
import { Created, Updated } from '../../shared/contract/envelopes.ts';
import {
  CreateOffer,
  ListOffers,
  Offer,
  soldCollections,
  UpdateOffer,
} from '../../shared/contract/features/offers.ts';
import { Email } from '../../shared/contract/fields.ts';
import { membership } from '../../shared/contract/kinds/membership.ts';
import { purchase } from '../../shared/contract/kinds/purchase.ts';
import { moment } from '../../shared/contract/moments.ts';
import { numberedPage, simpleList } from '../../shared/contract/pagination.ts';
import { RecordId } from '../../shared/contract/record-id.ts';
import { ownOriginOf } from '../../shared/contract/site-paths.ts';
import { keyProcedure, ownerProcedure, siteProcedure } from '../api/access/procedures.ts';
import { get } from '../api/access/route.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { VisitedSite } from '../api/callers.ts';
import { router, updates } from '../api/trpc.ts';
import { findMember, getSignedIn } from '../audience/members/member-session.ts';
import { beginCheckout, getCheckout, isEntitled } from './checkouts.ts';
import { endDemoMembership, payDemoCheckout, sellsByDemo } from './demo.ts';
import { listHoldings } from './holdings.ts';
import {
  createOffer,
  findOffer,
  findRecordOf,
  listMembershipOffers,
  listOffers,
  listOffersThatOpen,
  listRecordOffers,
  updateOffer,
} from './offers.ts';

const studioOffers = router({
  list: ownerProcedure
    .input(ListOffers)
    .output(numberedPage(Offer))
    .query(({ ctx, input }) => listOffers(ctx.deps, ctx.siteId, input)),
  create: ownerProcedure
    .input(CreateOffer)
    .output(Created)
    .mutation(({ ctx, input }) => createOffer(ctx, input)),
  update: ownerProcedure
    .meta({ conditional: true })
    .input(UpdateOffer)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateOffer(ctx, input))),
});

const v2Offers = router({
  list: get({
    path: '/v2/offers',
    scope: 'read:payments',
    tag: 'payments',
    mcp: { name: 'list_offers', resource: 'payments' },
    summary: 'List offers',
  })
    .input(ListOffers)
    .output(numberedPage(Offer))
    .query(({ ctx, input }) => listOffers(ctx.deps, ctx.siteId, input)),
});

/** Site at the request's host, and whether it sells there. */
const sellingProcedure = siteProcedure.use(async ({ ctx, next }) => {
  const site = found(await ctx.deps.findVisitedSite(ctx.host));
  return next({ ctx: { site, sells: sellsByDemo(ctx.deps, site, ctx.host) } });
});

const originOf = (site: VisitedSite, config: { publicUrl: URL }) =>
  ownOriginOf(site, config) ?? config.publicUrl.origin;

const BeginCheckout = z.strictObject({
  offer_id: RecordId.describe('ID of the offer'),
  email: Email.describe(
    'Email address that the sale belongs to; ignored for a member who is signed in',
  ).optional(),
});

const Begun = z.strictObject({
  id: RecordId,
  url: z.string().describe('URL of the payment page'),
  expires_at: moment('Time at which the payment page expires'),
});

const checkout = router({
  begin: sellingProcedure
    .meta({ tier: 'strict', memberToken: true })
    .meta({ errors: ['payments_not_configured', 'offer_unavailable', 'already_entitled'] })
    .input(BeginCheckout)
    .output(Begun)
    .mutation(async ({ ctx, input }) => {
      const member = await findMember(ctx);
      const email = member?.email ?? input.email;
      if (email === undefined)
        throw new ApiError('validation_failed', 'email: is required without a member session');
      if (!ctx.sells) throw new ApiError('payments_not_configured');
      const buyer = { email, isMember: member !== null };
      return beginCheckout(
        ctx,
        input.offer_id,
        buyer,
        (token) => new URL(`/buy/demo/${token}`, originOf(ctx.site, ctx.deps.config)).href,
      );
    }),
});

const billing = router({
  open: sellingProcedure
    .meta({ tier: 'strict', errors: ['not_found'] })
    .input(z.strictObject({ membership_id: RecordId.describe('ID of a membership of the member') }))
    .output(z.strictObject({ url: z.string().describe('URL at which the member manages the membership') }))
    .mutation(async ({ ctx, input: { membership_id } }) => {
      const { memberships } = await listHoldings(ctx.deps, ctx.siteId, (await getSignedIn(ctx)).email);
      const own = memberships.find(({ id, provider }) => id === membership_id && provider === 'demo');
      if (!own) throw new ApiError('not_found');
      return { url: new URL(`/account/billing/demo/${own.id}`, originOf(ctx.site, ctx.deps.config)).href };
    }),
});

const ShownOffer = Offer.pick({
  ...{ id: true, title: true, kind: true, interval: true, amount: true, currency: true, trial_days: true },
  ...{ collection: true, record_id: true },
});

const shown = (offer: Offer) => ShownOffer.strip().parse(offer);

/** Offers that open a record, or those of all records of a collection; none where the site does not sell. */
const offersOf = keyProcedure
  .meta({ scope: 'read', reads: ['offers', 'payment_connections'] })
  .input(
    z.strictObject({
      collection: z.enum(soldCollections),
      record: z.strictObject({ id: RecordId, access_tier: z.string() }).optional(),
    }),
  )
  .output(simpleList(ShownOffer))
  .query(async ({ ctx, input }) => {
    const { caller, deps, siteId, host } = ctx;
    const sells = caller.kind === 'visitor' && sellsByDemo(deps, caller.site, host);
    if (!sells) return { data: [] };
    const { collection, record } = input;
    const offers = await (record
      ? listOffersThatOpen(deps, siteId, collection, record)
      : listRecordOffers(deps, siteId, collection));
    return { data: offers.map(shown) };
  });

const SoldRecord = z.strictObject({
  title: z.string(),
  path: z.string().nullable(),
  is_for_sale: z.boolean(),
});

/** An offer for the page that sells it, and what the member who is signed in has of it. */
const offer = sellingProcedure
  .meta({ memberToken: true })
  .input(z.strictObject({ id: z.string() }))
  .output(
    z.strictObject({
      offer: ShownOffer,
      record: SoldRecord.nullable(),
      /** Memberships to choose from. */
      memberships: z.array(ShownOffer),
      state: z.enum(['sells', 'off', 'unavailable', 'entitled']),
      email: z.string().nullable(),
    }),
  )
  .query(async ({ ctx, input }) => {
    const { deps, siteId } = ctx;
    const sold = found(await findOffer(deps, siteId, input.id));
    const [record, member] = [await findRecordOf(deps, siteId, sold), await findMember(ctx)];
    const isOffered = sold.active && (sold.kind === 'membership' || record?.is_for_sale === true);
    const isOwned = member && (await isEntitled(deps, { ...sold, site_id: siteId }, member.email));
    const state = isOwned ? 'entitled' : !ctx.sells ? 'off' : isOffered ? 'sells' : 'unavailable';
    const all = sold.kind === 'membership' ? await listMembershipOffers(deps, siteId) : [];
    const memberships = all.map(shown);
    return { offer: shown(sold), record, memberships, state, email: member?.email ?? null };
  });

const ByToken = z.strictObject({ token: z.string().max(200) });

/** A checkout by the token of its return URL. Pages show only a part of the address. */
const checkoutByToken = sellingProcedure
  .meta({ memberToken: true })
  .input(ByToken)
  .output(
    z.strictObject({
      offer: ShownOffer,
      record: SoldRecord.nullable(),
      state: z.enum(['opening', 'open', 'paying', 'paid', 'failed', 'expired']),
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
    const { offer_id, email, amount, currency, trial_days, ...row } = await getCheckout(
      deps,
      siteId,
      input.token,
    );
    const sold = found(await findOffer(deps, siteId, offer_id));
    const isLate = row.state === 'open' && row.expires_at <= deps.clock.now();
    return {
      ...{ offer: shown(sold), record: await findRecordOf(deps, siteId, sold) },
      ...{ state: isLate ? 'expired' : row.state, email, amount, currency, trial_days },
      ...{
        is_demo: ctx.sells && row.session_ref === null,
        is_signed_in: (await findMember(ctx))?.email === email,
      },
    };
  });

const payDemo = sellingProcedure
  .input(ByToken)
  .output(Updated)
  .mutation(
    updates(async ({ ctx, input }) => {
      if (!ctx.sells) throw new ApiError('not_found');
      await payDemoCheckout(ctx.deps, ctx.siteId, input.token);
    }),
  );

const endDemo = sellingProcedure
  .input(z.strictObject({ id: z.string() }))
  .output(Updated)
  .mutation(
    updates(async ({ ctx, input }) => {
      const { email } = await getSignedIn(ctx);
      await endDemoMembership(ctx.deps, ctx.siteId, { id: input.id, email });
    }),
  );

const Holdings = z.strictObject({
  purchases: z.array(
    z.strictObject({
      ...purchase.read.pick({ id: true, amount: true, currency: true, state: true, created: true }).shape,
      record: SoldRecord.omit({ is_for_sale: true }).nullable(),
    }),
  ),
  memberships: z.array(
    z.strictObject({
      ...membership.read.pick({ id: true, provider: true, state: true, blocked: true, open_until: true })
        .shape,
      ...membership.read.pick({ cancel_at: true, amount: true, currency: true, interval: true }).shape,
      title: z.string().nullable(),
    }),
  ),
});

/** Purchases and memberships of the member who is signed in. */
const holdings = siteProcedure
  .output(Holdings)
  .query(async ({ ctx }) => listHoldings(ctx.deps, ctx.siteId, (await getSignedIn(ctx)).email));

export const offers = {
  v2: { offers: v2Offers },
  studio: { offers: studioOffers },
  site: { checkout, billing },
  visitors: {
    offers: offersOf,
    selling: router({ offer, checkout: checkoutByToken, payDemo, endDemo, holdings }),
  },
};
