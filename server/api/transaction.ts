import { setTimeout as delay } from 'node:timers/promises';
import { type EntityName, type FilterQuery, LockMode } from '@mikro-orm/core';
import type { Timestamp } from '../../shared/contract/timestamps.ts';
import { nextWriteTime } from '../../shared/db/changes-of.ts';
import type { ConcurrencyQuota } from '../../shared/db/concurrency-quota.ts';
import type { Database, Transaction } from '../../shared/db/config.ts';
import { isConflict, refusesWrites } from '../../shared/db/database-errors.ts';
import { ApiError, found } from './api-error.ts';
import type { StoreDeps } from './deps.ts';
import { type IfMatch, matches } from './entity-tag.ts';

/**
 * Number of repetitions of conflicting work, and the pause before the first one in milliseconds. It doubles each time,
 * and a random factor of 0.5 to 1.5 is applied.
 */
const conflicts = { repetitions: 4, pauseMs: 10 };

/**
 * Runs work that is one transaction, and repeats it if PostgreSQL rolled it back because of a conflict. Throws the last
 * conflict.
 */
export async function repeatConflicts<T>(
  { randomBytes }: Pick<StoreDeps, 'randomBytes'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let repetition = 0; ; repetition++) {
    try {
      return await work();
    } catch (error) {
      if (repetition === conflicts.repetitions || !isConflict(error)) throw error;
      const [chance = 0] = randomBytes(1);
      await delay(conflicts.pauseMs * 2 ** repetition * (0.5 + chance / 256));
    }
  }
}

/**
 * Runs `work` in a transaction, within the site's share of the connections, and returns its result. If `deps` are
 * joined to a transaction, `work` is part of that. An error rolls everything back; a conflict with another
 * transaction repeats the work. Throws `DatabaseBusyError` if too many writes are waiting for a connection.
 */
export const inTransaction = <T>(
  { database, randomBytes }: Pick<StoreDeps, 'database' | 'randomBytes'>,
  siteId: string,
  work: (em: Transaction) => Promise<T>,
): Promise<T> =>
  database.quotas.writes(siteId, async () => {
    const joinedTo = database.em.fork();
    if (!joinedTo.isInTransaction())
      return repeatConflicts({ randomBytes }, () => database.em.fork().transactional(work));
    const result = await work(joinedTo);
    await joinedTo.flush();
    return result;
  });

/**
 * Runs work of one statement, which is a transaction by itself: one round trip instead of three. If `deps` are joined
 * to a transaction, the work is part of that. Throws `DatabaseBusyError` if too many writes are waiting for a
 * connection.
 */
export const inOneStatement = <T>(
  { database, randomBytes }: Pick<StoreDeps, 'database' | 'randomBytes'>,
  siteId: string,
  work: (em: Transaction) => Promise<T>,
): Promise<T> =>
  database.quotas.writes(siteId, () => {
    const once = () => work(database.em.fork());
    return database.em.isInTransaction() ? once() : repeatConflicts({ randomBytes }, once);
  });

/** Records a side effect of a read, such as the last use of a key. Skipped while the database refuses writes. */
export async function noteWhereWritable(
  { database }: Pick<StoreDeps, 'database'>,
  note: () => Promise<unknown>,
): Promise<void> {
  if (database.lastRefusal()) return;
  try {
    await note();
  } catch (error) {
    // A refused write inside a transaction ends the whole transaction.
    if (database.em.isInTransaction() || !refusesWrites(error)) throw error;
  }
}

/**
 * Returns `deps` for work in the transaction `em`, which belongs to one site: all of their statements are part of it.
 * A write to another site throws an `Error`. An error must fail the whole transaction, unless it happens in
 * `em.transactional`, which is a savepoint.
 */
export function joined<D extends Pick<StoreDeps, 'database'>>(deps: D, siteId: string, em: Transaction): D {
  const fork: Transaction['fork'] = em.fork.bind(em);
  Object.assign(em, { fork: () => fork({ keepTransactionContext: true }) });
  const writes: ConcurrencyQuota = (ofSite, work) => {
    if (ofSite !== siteId) throw new Error('a transaction of one site writes to another site');
    return work();
  };
  const quotas = { ...deps.database.quotas, writes };
  const database: Database = Object.create(deps.database, { em: { value: em }, quotas: { value: quotas } });
  return { ...deps, database };
}

/**
 * Reads a row and locks it until the transaction ends. Of two concurrent changes, the second sees the result of the
 * first. Throws `not_found` if there is no such row.
 */
export const lockRow = async <Row extends object>(
  em: Transaction,
  entity: EntityName<Row>,
  where: FilterQuery<NoInfer<Row>>,
) => found(await em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE }));

export interface SiteScope {
  deps: StoreDeps;
  siteId: string;
}

/** Write to a site, with its revision condition. */
export interface SiteWrite extends SiteScope {
  ifMatch?: IfMatch | undefined;
}

/**
 * Returns the time of a write to a locked row without a revision counter. The time is the row's revision, so it always
 * increases. Throws `precondition_failed` if the row's revision does not match.
 */
export function nextUpdated({ updated }: { updated: Date }, { deps, ifMatch }: SiteWrite): Timestamp {
  if (!matches(ifMatch, updated.getTime())) throw new ApiError('precondition_failed');
  return nextWriteTime(updated, deps.clock.now());
}
