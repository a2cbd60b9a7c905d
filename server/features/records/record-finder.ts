import { sql } from 'kysely';
import type { Resource } from '../../../shared/contract/resource.ts';
import { statementWithPlaces } from '../../../shared/db/client.ts';
import { gather } from '../../../shared/gather.ts';
import type { Infrastructure, RecordFinder } from '../../kernel/deps.ts';
import { includedColumns } from './included.ts';
import { readableNames } from './readable-names.ts';
import { selectPublic } from './reads.ts';

/** Most records that one query fetches: their bodies are in memory together. */
const most = 32;

type Column = 'id' | 'slug';

/** Finds public records by id or slug. Whatever is asked of one collection in the same turn of the event loop takes one query. */
export function createRecordFinder(deps: Infrastructure): RecordFinder {
  const finders = new Map<string, { find(value: string): ReturnType<RecordFinder>; callers: number }>();
  const statementBy = createStatements(deps);
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

  function fetchBy(column: Column, { siteId, resource }: { siteId: string; resource: Resource }) {
    const select = statementBy(column, resource);
    return async (values: readonly string[]) => {
      const { rows } = await select(deps.database.em.getKysely(), { siteId, values });
      return new Map(rows.map(({ revision, ...record }) => [String(record[column]), { revision, record }]));
    };
  }
}

type Row = Record<string, unknown> & { revision: number };

/** What can be included comes along, since one statement is for all who ask. */
const columnsOf = ({ fields }: Resource) => [
  ...readableNames(fields),
  ...includedColumns('cover' in fields ? ['cover', 'meta'] : []),
];

/** One statement for each resource and column, written when it is first asked. */
function createStatements(deps: Infrastructure) {
  const write = (column: Column, resource: Resource) =>
    statementWithPlaces(['siteId', 'values'], (places) => {
      const siteId = sql<string>`${places.siteId}`;
      const query = selectPublic({ deps, siteId, resource }, columnsOf(resource))
        .select('revision')
        .where(column, '=', sql<string>`any(${places.values})`);
      return sql<Row>`${query}`;
    });
  const written = { id: new WeakMap<Resource, Select>(), slug: new WeakMap<Resource, Select>() };
  type Select = ReturnType<typeof write>;
  return (column: Column, resource: Resource) => {
    const statement = written[column].get(resource) ?? write(column, resource);
    written[column].set(resource, statement);
    return statement;
  };
}
