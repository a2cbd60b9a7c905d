import { sql } from 'kysely';
import { type Actor, personOf } from '../../../shared/contract/history.ts';
import { hasDrafts } from '../../../shared/contract/resource.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { Collection } from './collection.ts';

type Writer = Pick<Context, 'onlyOwn'> & { actor?: Actor | undefined };

/**
 * What somebody may write to who writes nothing but their own drafts, until somebody else has scheduled one. Throws
 * `insufficient_role` for anything else.
 */
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

type Written = Pick<Collection, 'siteId'> &
  Writer & { resource: Pick<Collection['resource'], 'collection' | 'partOf'> };

/** The same of a record that may be a part of another, as lessons are of courses: then that one decides. */
export async function requireOwnWork(em: Transaction, collection: Written, record: Row) {
  const whole = collection.onlyOwn && (await wholeOf(em, collection, record));
  if (whole) requireOwnDraft(collection, whole);
}

/** What a record is a part of, which nobody publishes before the transaction ends; itself where it is a part of none, null where that is not there. */
async function wholeOf(
  em: Transaction,
  { siteId, resource: { partOf } }: Written,
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

/** What they create is a draft where nothing else is said, which is refused. */
export const draftOf = ({
  onlyOwn,
  resource,
}: Writer & Pick<Collection, 'resource'>): Record<string, unknown> =>
  onlyOwn && hasDrafts(resource.fields) ? { is_draft: true } : {};
