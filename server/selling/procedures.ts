import { z } from 'zod';
import {
  CorrectMembership,
  ListMemberships,
  membership,
  ReportMembership,
} from '../../shared/contract/audience/membership.ts';
import {
  CorrectPurchase,
  ListPurchases,
  purchase,
  RecordPurchase,
  UpdatePurchase,
} from '../../shared/contract/audience/purchase.ts';
import { Created, Updated } from '../../shared/contract/envelopes.ts';
import { Attention } from '../../shared/contract/features/attention.ts';
import { numberedPage, pageQuery } from '../../shared/contract/pagination.ts';
import { staffProcedure } from '../api/access/procedures.ts';
import { get, patch, post } from '../api/access/route.ts';
import { createdOrFound, router, updates } from '../api/trpc.ts';
import { listKind } from '../audience/list-rows.ts';
import { listAttention } from './attention.ts';
import { correctMembership, reportMembership } from './memberships.ts';
import { correctPurchase, recordManually, recordReported, updatePurchase } from './purchases.ts';

const staff = staffProcedure('audience');

const studio = {
  purchases: router({
    list: staff
      .input(purchase.query.prefault({}))
      .output(numberedPage(purchase.read))
      .query(({ ctx, input }) => listKind(ctx.deps, ctx.siteId, purchase, input)),
    record: staff
      .input(purchase.create)
      .output(Created)
      .mutation(({ ctx, input }) => recordManually(ctx.deps, ctx.siteId, input)),
    update: staff
      .meta({ errors: ['payment_conflict'] })
      .input(CorrectPurchase)
      .output(Updated)
      .mutation(updates(({ ctx, input }) => correctPurchase(ctx.deps, ctx.siteId, input))),
  }),
  memberships: router({
    list: staff
      .input(membership.query.prefault({}))
      .output(numberedPage(membership.read))
      .query(({ ctx, input }) => listKind(ctx.deps, ctx.siteId, membership, input)),
    update: staff
      .input(CorrectMembership)
      .output(Updated)
      .mutation(updates(({ ctx, input }) => correctMembership(ctx.deps, ctx.siteId, input))),
  }),
  attention: router({
    list: staff
      .input(z.strictObject(pageQuery).prefault({}))
      .output(numberedPage(Attention))
      .query(({ ctx, input }) => listAttention(ctx.deps, ctx.siteId, input)),
  }),
};

const reads = { scope: 'read:payments', tag: 'payments' } as const;
const writes = { scope: 'write:payments', tag: 'payments' } as const;

const v2 = {
  purchases: router({
    list: get({
      ...reads,
      path: '/v2/purchases',
      mcp: { name: 'list_purchases', resource: 'payments' },
      summary: 'List purchases',
    })
      .input(ListPurchases)
      .output(numberedPage(purchase.read))
      .query(({ ctx, input }) => listKind(ctx.deps, ctx.siteId, purchase, input)),
    record: post({ ...writes, path: '/v2/purchases', summary: 'Record a purchase through another provider' })
      .meta({ audited: true, mayBeThere: true, errors: ['payment_conflict'] })
      .input(RecordPurchase)
      .output(Created)
      .mutation(createdOrFound(({ ctx, input }) => recordReported(ctx.deps, ctx.siteId, input))),
    update: patch({ ...writes, path: '/v2/purchases/{id}', summary: 'Update the state of a purchase' })
      .meta({ audited: true, errors: ['payment_conflict'] })
      .input(UpdatePurchase)
      .output(Updated)
      .mutation(updates(({ ctx, input }) => updatePurchase(ctx.deps, ctx.siteId, input))),
  }),
  memberships: router({
    list: get({
      ...reads,
      path: '/v2/memberships',
      mcp: { name: 'list_memberships', resource: 'payments' },
      summary: 'List memberships',
    })
      .input(ListMemberships)
      .output(numberedPage(membership.read))
      .query(({ ctx, input }) => listKind(ctx.deps, ctx.siteId, membership, input)),
    report: post({
      ...writes,
      path: '/v2/memberships',
      summary: 'Report the state of a membership at another provider',
    })
      .meta({ audited: true, mayBeThere: true })
      .input(ReportMembership)
      .output(Created)
      .mutation(createdOrFound(({ ctx, input }) => reportMembership(ctx.deps, ctx.siteId, input))),
  }),
};

/** Purchases and memberships, whoever took the money (docs/reference/sales.md). */
export const selling = { studio, v2 };
