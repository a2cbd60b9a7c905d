import type { Fields } from '../../../shared/contract/fields.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import type { CreateInput, Resource, UpdateInput } from '../../../shared/contract/resource.ts';
import type { Context } from '../../kernel/context.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { writtenBy } from './collection.ts';
import { restoreRevision } from './history.ts';
import { scheduleRecord } from './schedule.ts';
import { createRecord, deleteRecord, updateRecord } from './writes.ts';

/** What a procedure that writes knows of its call. */
export type WriteContext = Pick<Context, 'collection' | 'ifMatch' | 'answer'> & {
  deps: StoreDeps;
  siteId: string;
  actor: Actor;
};

/** Creates a record for a caller; its revision goes into the tag of the answer. */
export async function createIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  values: CreateInput<F>,
) {
  const { revision, ...created } = await createRecord(writtenBy(ctx, resource), values);
  ctx.answer.revision = revision;
  return created;
}

/** Updates one, if it has the revision that the caller asks for. */
export async function updateIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  { id, ...changes }: UpdateInput<F>,
) {
  ctx.answer.revision = await updateRecord(writtenBy(ctx, resource), id, changes);
  return { status: 'updated' as const };
}

/** Deletes one, if it has the revision that the caller asks for. */
export async function deleteIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  { id }: { id: string },
) {
  await deleteRecord(writtenBy(ctx, resource), id);
  return { status: 'deleted' as const };
}

/** Gives one the values of one of its revisions, if it has the revision that the caller asks for. */
export async function restoreIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  address: { id: string; revision: number },
) {
  ctx.answer.revision = await restoreRevision(writtenBy(ctx, resource), address);
  return { status: 'updated' as const };
}

/** Says when to publish one, if it has the revision that the caller asks for. */
export async function scheduleIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  { id, publish_at }: { id: string; publish_at: string | Date | null },
) {
  ctx.answer.revision = await scheduleRecord(writtenBy(ctx, resource), id, publish_at);
  return { status: 'updated' as const };
}
