import { enrollment, ListEnrollments } from '../../shared/contract/audience/enrollment.ts';
import { Created, Updated } from '../../shared/contract/envelopes.ts';
import { LearnerEnrollment } from '../../shared/contract/features/learning.ts';
import { numberedPage } from '../../shared/contract/pagination.ts';
import { ById } from '../../shared/contract/record-id.ts';
import { staffProcedure } from '../api/access/procedures.ts';
import { command, get, post } from '../api/access/route.ts';
import { createdOrFound, router, updates } from '../api/trpc.ts';
import { completeEnrollment, endEnrollment, enroll, listEnrollments } from './enrollments.ts';

const staff = staffProcedure('audience');

const studio = router({
  list: staff
    .input(enrollment.query.prefault({}))
    .output(numberedPage(LearnerEnrollment))
    .query(({ ctx, input }) => listEnrollments(ctx.deps, ctx.siteId, input)),
  create: staff
    .input(enrollment.create)
    .output(Created)
    .mutation(createdOrFound(({ ctx, input }) => enroll(ctx.deps, ctx.siteId, input))),
  complete: staff
    .input(ById)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => completeEnrollment(ctx.deps, ctx.siteId, input.id))),
  end: staff
    .input(ById)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => endEnrollment(ctx.deps, ctx.siteId, input.id))),
});

const reads = { scope: 'read:learners', tag: 'learners' } as const;
const writes = { scope: 'write:learners', tag: 'learners' } as const;

const v2 = router({
  list: get({ ...reads, path: '/v2/enrollments', summary: 'List enrollments with their progress' })
    .input(ListEnrollments)
    .output(numberedPage(LearnerEnrollment))
    .query(({ ctx, input }) => listEnrollments(ctx.deps, ctx.siteId, input)),
  create: post({ ...writes, path: '/v2/enrollments', summary: 'Enroll a learner in a course' })
    .meta({ audited: true, mayBeThere: true })
    .input(enrollment.create)
    .output(Created)
    .mutation(createdOrFound(({ ctx, input }) => enroll(ctx.deps, ctx.siteId, input))),
  complete: command({
    ...writes,
    path: '/v2/enrollments/{id}/complete',
    summary: 'Mark the course of an enrollment as completed',
  })
    .meta({ bodyless: true, audited: true })
    .input(ById)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => completeEnrollment(ctx.deps, ctx.siteId, input.id))),
  end: command({
    ...writes,
    path: '/v2/enrollments/{id}/end',
    summary: 'End an enrollment, so that it no longer opens its course',
  })
    .meta({ bodyless: true, audited: true })
    .input(ById)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => endEnrollment(ctx.deps, ctx.siteId, input.id))),
});

/** Enrollments, for people who work on the site and for programs. */
export const enrollments = { studio: { enrollments: studio }, v2: { enrollments: v2 } };
