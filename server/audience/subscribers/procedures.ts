import { z } from 'zod';
import { Created, Updated } from '../../../shared/contract/envelopes.ts';
import { NewsletterPreference, Prefer } from '../../../shared/contract/features/newsletter.ts';
import { enrollment } from '../../../shared/contract/kinds/enrollment.ts';
import { subscriber } from '../../../shared/contract/kinds/subscriber.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import { ById, RecordId } from '../../../shared/contract/record-id.ts';
import { publicProcedure, siteProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { router, updates } from '../../api/trpc.ts';
import { listKind } from '../list-rows.ts';
import { getSignedIn } from '../members/member-session.ts';
import { asksToConfirm, askToConfirm, confirm, findAsked } from './confirmation.ts';
import { findPreference, subscribeMember, unsubscribeMember } from './preference.ts';
import { completeEnrollment, enroll, subscribe } from './submissions.ts';
import { subscribers } from './subscriber-procedures.ts';
import { countByReader, findReader, unsubscribe } from './unsubscribe.ts';

const staff = staffProcedure('audience');

const audienceStudio = {
  enrollments: router({
    list: staff
      .input(enrollment.query.prefault({}))
      .output(numberedPage(enrollment.read))
      .query(({ ctx, input }) => listKind(ctx.deps, ctx.siteId, enrollment, input)),
    create: staff
      .input(enrollment.create)
      .output(Created)
      .mutation(({ ctx, input }) => enroll(ctx.deps, ctx.siteId, input)),
    complete: staff
      .input(ById)
      .output(Updated)
      .mutation(updates(({ ctx, input }) => completeEnrollment(ctx.deps, ctx.siteId, input.id))),
  }),
};

/** Answer of every public form. It is always empty, so that it does not reveal stored data. */
const Accepted = z.strictObject({});

const GivenToken = z.strictObject({ token: z.string().max(200).describe('Token from the emailed link') });

const newsletter = router({
  subscribe: siteProcedure
    .input(subscriber.create)
    .output(Accepted)
    .mutation(async ({ ctx, input }) => {
      const { deps, siteId } = ctx;
      await ((await asksToConfirm(deps, siteId)) ? askToConfirm : subscribe)(deps, siteId, input);
      return {};
    }),
  confirm: publicProcedure
    .input(GivenToken)
    .use(async ({ ctx, input, next }) => {
      const asked = await findAsked(ctx.deps, input.token);
      return next({ ctx: { asked, siteId: asked.site.id } });
    })
    .output(Accepted)
    .mutation(async ({ ctx }) => {
      await confirm(ctx.deps, ctx.asked);
      return {};
    }),
  unsubscribe: publicProcedure
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

const LetterSite = z.strictObject({ id: RecordId, name: z.string(), language: z.string() });

/** Facts for the pages on which visitors confirm a subscription or unsubscribe. */
const letters = router({
  /** True if new subscribers must confirm by email. */
  subscribing: siteProcedure
    .output(z.strictObject({ by_mail: z.boolean() }))
    .query(async ({ ctx }) => ({ by_mail: await asksToConfirm(ctx.deps, ctx.siteId) })),
  confirming: publicProcedure
    .input(GivenToken)
    .output(LetterSite)
    .query(async ({ ctx, input }) => (await findAsked(ctx.deps, input.token)).site),
  leaving: publicProcedure
    .input(GivenToken)
    .output(LetterSite)
    .query(async ({ ctx, input }) => (await findReader(ctx.deps, input.token)).site),
});

export const audience = { studio: audienceStudio };

export const newsletters = { ...subscribers, site: { newsletter }, visitors: { letters } };
