import { z } from 'zod';
import { lockRecord } from '../../../shared/content/records.ts';
import type { ContentWriter } from '../../../shared/content/write.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { ApiError, found } from '../../kernel/api-error.ts';
import { matches } from '../../kernel/entity-tag.ts';
import { inOneStatement, inTransaction } from '../../kernel/transaction.ts';
import type { WrittenCollection } from './collection.ts';

type Place = Pick<WrittenCollection, 'deps' | 'siteId'>;

/** Throws `validation_failed` when the record can't be as it was asked for. */
export const write = <T>({ deps, siteId }: Place, work: (em: Transaction) => Promise<T>) =>
  inTransaction(deps, siteId, work).catch(refuseViolation);

/** The same for work of one statement. */
export const writeAtOnce = <T>({ deps, siteId }: Place, work: (em: Transaction) => Promise<T>) =>
  inOneStatement(deps, siteId, work).catch(refuseViolation);

function refuseViolation(cause: unknown): never {
  const { code, constraint = '' } = Violation.safeParse(cause).data ?? {};
  if (code === foreignKeyViolation)
    throw new ApiError('validation_failed', 'the record it belongs to does not exist', { cause });
  if (code === uniqueViolation && constraint.endsWith('_slug_key'))
    throw new ApiError('validation_failed', 'slug: already taken', { cause });
  throw cause;
}

/** What PostgreSQL says of a constraint that a statement breaks. */
const Violation = z.object({ code: z.string(), constraint: z.string().optional() });
const foreignKeyViolation = '23503';
const uniqueViolation = '23505';

/** The record, locked, if it has the revision that was asked for. Throws `not_found` or `precondition_failed`. */
export async function lockAsked(
  em: Transaction,
  collection: WrittenCollection,
  id: string,
  also: readonly string[] = [],
) {
  const record = found(await lockRecord(em, writerOf(collection), id, also));
  if (!matches(collection.ifMatch, record.revision)) throw new ApiError('precondition_failed');
  return record;
}

export const writerOf = ({ deps, siteId, resource, actor }: WrittenCollection): ContentWriter => ({
  deps,
  siteId,
  actor,
  collection: resource.collection,
});
