import { ApprovedTestimonial } from '../../../shared/contract/audience.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { listApproved } from './testimonials.ts';

/** The testimonials that the owner approved of, for the public site. */
export const approvedTestimonials = keyProcedure
  .meta({ scope: 'read', reads: ['testimonials'] })
  .output(simpleList(ApprovedTestimonial))
  .query(async ({ ctx }) => ({ data: await listApproved(ctx.deps, ctx.siteId) }));
