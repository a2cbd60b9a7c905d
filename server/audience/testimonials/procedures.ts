import { z } from 'zod';
import {
  ApprovedTestimonial,
  testimonial,
  UpdateTestimonial,
} from '../../../shared/contract/audience/testimonial.ts';
import { Updated } from '../../../shared/contract/envelopes.ts';
import { numberedPage, simpleList } from '../../../shared/contract/pagination.ts';
import { keyProcedure, siteProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { router, updates } from '../../api/trpc.ts';
import { listKind } from '../list-rows.ts';
import { listApproved, submitTestimonial, updateTestimonial } from './store.ts';

/** Approved testimonials, for the public site. */
const approved = keyProcedure
  .meta({ scope: 'read', reads: ['testimonials'] })
  .output(simpleList(ApprovedTestimonial))
  .query(async ({ ctx }) => ({ data: await listApproved(ctx.deps, ctx.siteId) }));

export const testimonials = {
  studio: {
    testimonials: router({
      list: staffProcedure('audience')
        .input(testimonial.query.prefault({}))
        .output(numberedPage(testimonial.read))
        .query(({ ctx, input }) => listKind(ctx.deps, ctx.siteId, testimonial, input)),
      update: staffProcedure('audience')
        .input(UpdateTestimonial)
        .output(Updated)
        .mutation(updates(({ ctx, input }) => updateTestimonial(ctx.deps, ctx.siteId, input))),
    }),
  },
  site: {
    testimonials: router({
      submit: siteProcedure
        // Public forms all return an empty response, which reveals no existing data.
        .input(testimonial.create)
        .output(z.strictObject({}))
        .mutation(async ({ ctx, input }) => {
          await submitTestimonial(ctx.deps, ctx.siteId, input);
          return {};
        }),
    }),
  },
  visitors: { testimonials: approved },
};
