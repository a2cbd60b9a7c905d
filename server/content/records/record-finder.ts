import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { statementWithPlaceholders } from '../../../shared/db/client.ts';
import { createBatchLoader } from '../../../shared/runtime/batch-loader.ts';
import { found } from '../../api/api-error.ts';
import type { AnswerNotes } from '../../api/context.ts';
import type { Deps, Infrastructure, PublicRecord, RecordFinder } from '../../api/deps.ts';
import { readableNames, typedRow } from './collection.ts';
import { includedColumns, including } from './include-covers.ts';
import { selectPublic } from './public-reads.ts';

/** Gets a public record as readers see it, and sets the revision for the response's tag. Throws `not_found`. */
export async function getOne<F extends Fields>(
  ctx: RecordReader & { deps: Deps; answer: AnswerNotes },
  resource: Resource<F>,
  { include, ...by }: ({ id: string } | { slug: string }) & { include?: Include | undefined },
) {
  const { revision, record } = found(await findOne(ctx, resource, by));
  ctx.answer.revision = revision;
  const [shown] = await including(ctx, [record], include);
  return found(shown);
}

/**
 * Finds a record by ID or slug, with its revision and all data that can be included. Null if it does not exist or is
 * not public.
 */
export async function findOne<F extends Fields>(
  { deps, siteId }: RecordReader,
  resource: Resource<F>,
  by: { id: string } | { slug: string },
) {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['slug', by.slug] as const);
  const found = await deps.findRecord({ siteId, resource, column, value });
  return found && { revision: found.revision, record: typedRow<RecordOf<F>>(found.record) };
}

interface RecordReader {
  deps: Pick<Deps, 'findRecord'>;
  siteId: string;
}

/** Maximum number of records per query, whose bodies are in memory at the same time. */
const max = 32;

/** Length of a record, in characters, from which it is returned in a tick of its own. */
const fromCharacters = 50_000;

type Column = 'id' | 'slug';

/**
 * Creates the finder of public records by ID or slug. Requests in the same tick of the event loop share a query if site,
 * collection and column are the same. Long records are returned one per tick.
 */
export function createRecordFinder(deps: Infrastructure): RecordFinder {
  const finders = new Map<string, ReturnType<typeof createFinder>>();
  /** Prepared statements by column and resource. */
  const statements = { id: new Map<Resource, Statement>(), slug: new Map<Resource, Statement>() };
  let lastTick = Promise.resolve();
  const turn = () => {
    lastTick = lastTick.then(() => nextTick());
    return lastTick;
  };
  return async ({ siteId, resource, column, value }) => {
    const key = `${siteId} ${resource.collection} ${column}`;
    const finder = finders.get(key) ?? createFinder(column, siteId, resource);
    finders.set(key, finder);
    finder.callers += 1;
    try {
      const found = await finder.find(value);
      if (found && isLong(found.record)) await turn();
      return found;
    } finally {
      finder.callers -= 1;
      if (finder.callers === 0) finders.delete(key);
    }
  };

  function createFinder(column: Column, siteId: string, resource: Resource) {
    const select = statements[column].get(resource) ?? statementOf(deps, column, resource);
    statements[column].set(resource, select);
    const fetch = async (values: readonly string[]) => {
      const rows = await select(deps.database, { siteId, values });
      return new Map(rows.map(({ revision, ...record }) => [String(record[column]), { revision, record }]));
    };
    return { find: createBatchLoader(fetch, max), callers: 0 };
  }
}

const isLong = (record: object) =>
  Object.values(record).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0) >=
  fromCharacters;

type Row = Record<string, unknown> & Pick<PublicRecord, 'revision'>;

/** Columns to read. They include those of all `include` options, since requests share a statement. */
const columnsOf = ({ fields }: Resource) => [
  ...readableNames(fields),
  ...includedColumns('cover' in fields ? ['cover', 'meta'] : []),
];

type Statement = ReturnType<typeof statementOf>;

const statementOf = (deps: Infrastructure, column: Column, resource: Resource) =>
  statementWithPlaceholders(['siteId', 'values'], (placeholders) => {
    const siteId = sql<string>`${placeholders.siteId}`;
    const query = selectPublic({ deps, siteId, resource }, columnsOf(resource))
      .select('revision')
      .where(column, '=', sql<string>`any(${placeholders.values})`);
    return sql<Row>`${query}`;
  });
