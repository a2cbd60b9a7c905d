import { sql } from 'kysely';
import { type Actor, personOf } from '../../../shared/contract/history.ts';
import { hasDrafts } from '../../../shared/contract/resource.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { Collection } from './collection.ts';

type Writer = Pick<Context, 'onlyOwn'> & { actor?: Actor | undefined };

/** Checks a write by a person who may write only their own unscheduled drafts. Throws `insufficient_role` for other records. */
export function requireOwnDraft({ onlyOwn, actor }: Writer, record: object) {
  if (!onlyOwn) return;
  const { is_draft, publish_at, created_by } = {
    ...{ is_draft: null, publish_at: null, created_by: null },
    ...record,
  };
  if (is_draft === true && publish_at === null && created_by === personOf(actor)) return;
  throw new ApiError('insufficient_role', 'your role allows writing only drafts that you created');
}

type Row = Record<string, unknown>;

type WrittenCollection = Pick<Collection, 'siteId'> &
  Writer & { resource: Pick<Collection['resource'], 'collection' | 'partOf'> };

/**
 * Throws `insufficient_role` if the caller may write only own drafts and the record is not one. For a part of another
 * record, such as a lesson of a course, the outermost record decides.
 */
export async function requireOwnWork(em: Transaction, collection: WrittenCollection, record: Row) {
  const whole = collection.onlyOwn && (await wholeOf(em, collection, record));
  if (whole) requireOwnDraft(collection, whole);
}

/**
 * Returns the outermost record that contains a record, such as the course of a lesson, locked against publishing until
 * the transaction ends. A record of a resource without a parent is returned itself, without another lock. Null if the
 * outer record does not exist.
 */
async function wholeOf(
  em: Transaction,
  { siteId, resource: { partOf } }: WrittenCollection,
  record: Row,
): Promise<Row | null> {
  if (!partOf) return record;
  const { rows } = await sql<Row>`
    select * from ${sql.table(partOf.collection)} where site_id = ${siteId} and id = ${record[partOf.by]} for share`.execute(
    em.getKysely(),
  );
  const [whole] = rows;
  const resource = Object.values(allResources).find(({ collection }) => collection === partOf.collection);
  return whole && resource ? wholeOf(em, { siteId, resource }, whole) : null;
}

/**
 * Returns `{ is_draft: true }` as default of a new record if the caller may create only drafts; otherwise an empty object.
 * An explicit other value is refused later.
 */
export const draftOf = ({
  onlyOwn,
  resource,
}: Writer & Pick<Collection, 'resource'>): Record<string, unknown> =>
  onlyOwn && hasDrafts(resource.fields) ? { is_draft: true } : {};
