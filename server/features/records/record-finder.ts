import { sql } from 'kysely';
import type { Resource } from '../../../shared/contract/resource.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import { gather } from '../../../shared/gather.ts';
import type { Infrastructure, RecordFinder } from '../../kernel/deps.ts';
import { selectPublic } from './reads.ts';

/** Most records that one query fetches: their bodies are in memory together. */
const most = 32;

/** Finds public records by id or slug. Whatever is asked of one collection in the same turn of the event loop takes one query. */
export function createRecordFinder(deps: Infrastructure): RecordFinder {
  const finders = new Map<string, { find(value: string): ReturnType<RecordFinder>; callers: number }>();
  return async ({ siteId, resource, column, value }) => {
    const key = `${siteId} ${resource.collection} ${column}`;
    const finder = finders.get(key) ?? {
      find: gather(fetchBy(column, { siteId, resource }), most),
      callers: 0,
    };
    finders.set(key, finder);
    finder.callers += 1;
    try {
      return await finder.find(value);
    } finally {
      finder.callers -= 1;
      if (finder.callers === 0) finders.delete(key);
    }
  };

  function fetchBy(column: 'id' | 'slug', { siteId, resource }: { siteId: string; resource: Resource }) {
    return async (values: readonly string[]) => {
      const rows = await selectPublic({ deps, siteId, resource })
        .select('revision')
        .modifyFront(preparedStatement)
        .where(column, '=', sql<string>`any(${values})`)
        .execute();
      return new Map(rows.map(({ revision, ...record }) => [String(record[column]), { revision, record }]));
    };
  }
}
