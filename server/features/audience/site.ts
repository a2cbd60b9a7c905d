import { z } from 'zod';
import { SubmitTestimonial, Subscribe } from '../../../shared/contract/audience.ts';
import { siteProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { submitTestimonial, subscribe } from './submissions.ts';

/** The answer of every public input: it tells nobody what was known before. */
const Accepted = z.strictObject({});

/** What visitors send in. */
export const audienceSite = {
  newsletter: router({
    subscribe: siteProcedure
      .input(Subscribe)
      .output(Accepted)
      .mutation(async ({ ctx, input }) => {
        await subscribe(ctx.deps, ctx.siteId, input);
        return {};
      }),
  }),
  testimonials: router({
    submit: siteProcedure
      .input(SubmitTestimonial)
      .output(Accepted)
      .mutation(async ({ ctx, input }) => {
        await submitTestimonial(ctx.deps, ctx.siteId, input);
        return {};
      }),
  }),
};
