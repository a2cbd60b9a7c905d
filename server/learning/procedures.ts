import { Created, Updated } from '../../shared/contract/envelopes.ts';
import { enrollment } from '../../shared/contract/kinds/enrollment.ts';
import { numberedPage } from '../../shared/contract/pagination.ts';
import { ById } from '../../shared/contract/record-id.ts';
import { staffProcedure } from '../api/access/procedures.ts';
import { router, updates } from '../api/trpc.ts';
import { listKind } from '../audience/list-rows.ts';
import { completeEnrollment, enroll } from './enrollments.ts';

const staff = staffProcedure('audience');

const studio = {
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

export const learning = { studio };
