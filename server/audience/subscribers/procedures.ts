import { z } from 'zod';
import { subscriber } from '../../../shared/contract/audience/subscriber.ts';
import { Updated } from '../../../shared/contract/envelopes.ts';
import { NewsletterPreference, Prefer } from '../../../shared/contract/features/newsletter.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { publicProcedure, siteProcedure } from '../../api/access/procedures.ts';
import { router, updates } from '../../api/trpc.ts';
import { getSignedIn } from '../members/member-session.ts';
import { confirm, confirmationRequired, findRequested, mustConfirm } from './confirmation.ts';
import { findPreference, subscribeMember, unsubscribeMember } from './preference.ts';
import { subscribe } from './submissions.ts';
import { subscribers } from './subscriber-procedures.ts';
import { countByReader, findReader, unsubscribe } from './unsubscribe.ts';

/** Empty response of public forms. It does not reveal whether the address was known. */
const Accepted = z.strictObject({});

const GivenToken = z.strictObject({ token: z.string().max(200).describe('Token from the emailed link') });

const newsletter = router({
  subscribe: siteProcedure
    .input(subscriber.create)
    .output(Accepted)
    .mutation(async ({ ctx, input }) => {
      const { deps, siteId } = ctx;
      await ((await mustConfirm(deps, siteId)) ? confirmationRequired : subscribe)(deps, siteId, input);
      return {};
    }),
  confirm: publicProcedure
    .input(GivenToken)
    .use(async ({ ctx, input, next }) => {
      const requested = await findRequested(ctx.deps, input.token);
      return next({ ctx: { asked: requested, siteId: requested.site.id } });
    })
    .output(Accepted)
    .mutation(async ({ ctx }) => {
      await confirm(ctx.deps, ctx.asked);
      return {};
    }),
  unsubscribe: publicProcedure
    .meta({ countsByInput: true })
    .input(GivenToken)
    .use(async ({ ctx, input, next }) => {
      const reader = await countByReader(ctx, input.token);
      // The site is the one that the token names, so that the token is good at any host.
      return next({ ctx: { reader, siteId: reader.site.id } });
    })
    .output(Accepted)
    .mutation(async ({ ctx }) => {
      await unsubscribe(ctx.deps, ctx.reader);
      return {};
    }),
  /** Newsletter setting of the signed-in member. */
  preference: siteProcedure
    .output(NewsletterPreference)
    .query(async ({ ctx }) => findPreference(ctx.deps, ctx.siteId, (await getSignedIn(ctx)).email)),
  prefer: siteProcedure
    .meta({ errors: ['suppressed'] })
    .input(Prefer)
    .output(Updated)
    .mutation(
      updates(async ({ ctx, input }) => {
        const change = input.receives ? subscribeMember : unsubscribeMember;
        await change(ctx.deps, ctx.siteId, (await getSignedIn(ctx)).email);
      }),
    ),
});

const NewsletterSite = z.strictObject({ id: RecordId, name: z.string(), language: z.string() });

/** Facts for the pages on which visitors confirm a subscription or unsubscribe. */
const newsletterPages = router({
  /** True if new subscribers must confirm by email. */
  subscribing: siteProcedure
    .output(z.strictObject({ by_mail: z.boolean() }))
    .query(async ({ ctx }) => ({ by_mail: await mustConfirm(ctx.deps, ctx.siteId) })),
  confirming: publicProcedure
    .input(GivenToken)
    .output(NewsletterSite)
    .query(async ({ ctx, input }) => (await findRequested(ctx.deps, input.token)).site),
  leaving: publicProcedure
    .input(GivenToken)
    .output(NewsletterSite)
    .query(async ({ ctx, input }) => (await findReader(ctx.deps, input.token)).site),
});

export const newsletters = { ...subscribers, site: { newsletter }, visitors: { letters: newsletterPages } };
