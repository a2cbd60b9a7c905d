import type { z } from 'zod';
import {
  AddedSubscriber,
  AddSubscriber,
  subscriber,
  UpdateSubscriber,
} from '../../../shared/contract/audience/subscriber.ts';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import { del, get, patch, post } from '../../api/access/route.ts';
import { toExport } from '../../api/access/transfer-tickets.ts';
import type { Deps } from '../../api/deps.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import { listKind } from '../list-rows.ts';
import { addSubscriber, deleteSubscriber, getSubscriber, updateSubscriber } from './subscribers.ts';

interface Call<Input> {
  ctx: { deps: Deps; siteId: string };
  input: Input;
}

const page = numberedPage(subscriber.read);
const adding = { errors: ['suppressed'] } as const;

const list = ({ ctx, input }: Call<z.infer<typeof subscriber.query>>) =>
  listKind(ctx.deps, ctx.siteId, subscriber, input);
const one = ({ ctx, input }: Call<z.infer<typeof ById>>) => getSubscriber(ctx.deps, ctx.siteId, input.id);
const add = ({ ctx, input }: Call<z.infer<typeof AddSubscriber>>) =>
  addSubscriber(ctx.deps, ctx.siteId, input);
const update = updates(({ ctx, input }: Call<z.infer<typeof UpdateSubscriber>>) =>
  updateSubscriber(ctx.deps, ctx.siteId, input),
);
const remove = deletes(({ ctx, input }: Call<z.infer<typeof ById>>) =>
  deleteSubscriber(ctx.deps, ctx.siteId, input.id),
);

const reading = staffProcedure('newsletter');
const writing = staffProcedure('audience');

const studio = router({
  list: reading.input(subscriber.query.prefault({})).output(page).query(list),
  get: reading.input(ById).output(subscriber.read).query(one),
  create: writing.meta(adding).input(AddSubscriber).output(AddedSubscriber).mutation(add),
  update: writing.input(UpdateSubscriber).output(Updated).mutation(update),
  delete: writing.input(ById).output(Deleted).mutation(remove),
  export: toExport('subscribers'),
});

const path = '/v2/subscribers';
const tag = 'subscribers';
const reads = { scope: 'read:subscribers', tag } as const;
const writes = { scope: 'write:subscribers', tag } as const;

const v2 = router({
  list: get({ ...reads, path, summary: 'List subscribers' })
    .input(subscriber.query)
    .output(page)
    .query(list),
  get: get({ ...reads, path: `${path}/{id}`, summary: 'Get a subscriber' })
    .input(ById)
    .output(subscriber.read)
    .query(one),
  create: post({ ...writes, path, summary: 'Add a subscriber' })
    .meta({ ...adding, audited: true })
    .input(AddSubscriber)
    .output(AddedSubscriber)
    .mutation(add),
  update: patch({ ...writes, path: `${path}/{id}`, summary: 'Update a subscriber' })
    .meta({ audited: true })
    .input(UpdateSubscriber)
    .output(Updated)
    .mutation(update),
  delete: del({ ...writes, path: `${path}/{id}`, summary: 'Delete a subscriber' })
    .meta({ audited: true })
    .input(ById)
    .output(Deleted)
    .mutation(remove),
});

export const subscribers = { studio: { subscribers: studio }, v2: { subscribers: v2 } };
