import { z } from 'zod';
import {
  CreateEnrollment,
  Enrollment,
  EnrollmentsAsked,
  Purchase,
  PurchasesAsked,
  RecordPurchase,
  Subscriber,
  SubscribersAsked,
  Testimonial,
  TestimonialsAsked,
  UpdateTestimonial,
} from '../../../shared/contract/audience.ts';
import { Created, Updated } from '../../../shared/contract/envelopes.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { completeEnrollment, enroll } from './enrollments.ts';
import { listEnrollments, listPurchases, listSubscribers, listTestimonials } from './lists.ts';
import { recordPurchase } from './submissions.ts';
import { updateTestimonial } from './testimonials.ts';

/** Purchases, enrolments, and what visitors sent in. */
export const audienceStudio = {
  purchases: router({
    list: ownerProcedure
      .input(PurchasesAsked)
      .output(numberedPage(Purchase))
      .query(({ ctx, input }) => listPurchases(ctx.deps, ctx.siteId, input)),
    record: ownerProcedure
      .input(RecordPurchase)
      .output(Created)
      .mutation(({ ctx, input }) => recordPurchase(ctx.deps, ctx.siteId, input)),
  }),
  enrollments: router({
    list: ownerProcedure
      .input(EnrollmentsAsked)
      .output(numberedPage(Enrollment))
      .query(({ ctx, input }) => listEnrollments(ctx.deps, ctx.siteId, input)),
    create: ownerProcedure
      .input(CreateEnrollment)
      .output(Created)
      .mutation(({ ctx, input }) => enroll(ctx.deps, ctx.siteId, input)),
    complete: ownerProcedure
      .input(z.strictObject({ id: RecordId }))
      .output(Updated)
      .mutation(async ({ ctx, input }) => {
        await completeEnrollment(ctx.deps, ctx.siteId, input.id);
        return { status: 'updated' as const };
      }),
  }),
  testimonials: router({
    list: ownerProcedure
      .input(TestimonialsAsked)
      .output(numberedPage(Testimonial))
      .query(({ ctx, input }) => listTestimonials(ctx.deps, ctx.siteId, input)),
    update: ownerProcedure
      .input(UpdateTestimonial)
      .output(Updated)
      .mutation(async ({ ctx, input }) => {
        await updateTestimonial(ctx.deps, ctx.siteId, input);
        return { status: 'updated' as const };
      }),
  }),
  subscribers: router({
    list: ownerProcedure
      .input(SubscribersAsked)
      .output(numberedPage(Subscriber))
      .query(({ ctx, input }) => listSubscribers(ctx.deps, ctx.siteId, input)),
  }),
};
