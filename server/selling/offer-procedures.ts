import { z } from 'zod';
import { Created, Updated } from '../../shared/contract/envelopes.ts';
import {
  CreateOffer,
  ListOffers,
  Offer,
  OfferedRecord,
  ShownOffer,
  soldCollections,
  UpdateOffer,
} from '../../shared/contract/features/offers.ts';
import { numberedPage, simpleList } from '../../shared/contract/pagination.ts';
import { RecordId } from '../../shared/contract/record-id.ts';
import { keyProcedure, ownerProcedure, siteProcedure } from '../api/access/procedures.ts';
import { get } from '../api/access/route.ts';
import { found } from '../api/api-error.ts';
import { router, updates } from '../api/trpc.ts';
import { findMember } from '../audience/members/member-session.ts';
import { checkouts } from './checkout-procedures.ts';
import { isEntitled } from './checkouts.ts';
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
import { findSeller, findVisitedSeller } from './sellers.ts';

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
    const seller = caller.kind === 'visitor' ? await findSeller(deps, caller.site, host) : null;
    if (!seller) return { data: [] };
    const { collection, record } = input;
    const offers = await (record
      ? listOffersThatOpen(deps, siteId, collection, record)
      : listRecordOffers(deps, siteId, collection));
    return { data: offers.map((offer) => ShownOffer.parse(offer)) };
  });

/** An offer for the page that sells it, and what the member who is signed in has of it. */
const offer = siteProcedure
  .meta({ memberToken: true })
  .input(z.strictObject({ id: z.string() }))
  .output(
    z.strictObject({
      offer: ShownOffer,
      record: OfferedRecord.nullable(),
      /** Memberships to choose from. */
      memberships: z.array(ShownOffer),
      state: z.enum(['sells', 'off', 'unavailable', 'entitled']),
      email: z.string().nullable(),
    }),
  )
  .query(async ({ ctx, input }) => {
    const { deps, siteId } = ctx;
    const sold = found(await findOffer(deps, siteId, input.id));
    const seller = await findVisitedSeller(ctx);
    const [record, member] = [await findRecordOf(deps, siteId, sold), await findMember(ctx)];
    const isOffered = sold.active && sold.is_for_sale;
    const isOwned = member && (await isEntitled(deps, { ...sold, site_id: siteId }, member.email));
    const state = isOwned ? 'entitled' : !seller ? 'off' : isOffered ? 'sells' : 'unavailable';
    const all = sold.kind === 'membership' ? await listMembershipOffers(deps, siteId) : [];
    const memberships = all.map((other) => ShownOffer.parse(other));
    return { offer: ShownOffer.parse(sold), record, memberships, state, email: member?.email ?? null };
  });

export const offers = {
  v2: { offers: v2Offers, checkouts: checkouts.v2 },
  studio: { offers: studioOffers },
  site: checkouts.site,
  visitors: { offers: offersOf, selling: router({ offer, ...checkouts.visitors }) },
};
