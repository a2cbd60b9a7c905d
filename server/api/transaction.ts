import { setTimeout as delay } from 'node:timers/promises';
import { type EntityName, type FilterQuery, LockMode } from '@mikro-orm/core';
import { Timestamp } from '../../shared/contract/moments.ts';
import type { Database, Transaction } from '../../shared/db/config.ts';
import type { Share } from '../../shared/db/shares.ts';
import { isConflict, refusesWrites } from '../../shared/db/troubles.ts';
import { ApiError, found } from './api-error.ts';
import type { StoreDeps } from './deps.ts';
import { type IfMatch, matches } from './entity-tag.ts';

/** How often work that clashed with other is done anew, and how long it pauses before, twice as long each time. */
const conflicts = { repetitions: 4, pauseMs: 10 };

/**
 * Does work that is one transaction, and does it anew when PostgreSQL undid it since it clashed with another. Throws
 * the last conflict when that goes on.
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
 * Runs `work` in a transaction, within the site's share of the connections. If `deps` are joined to a transaction, `work` is part of
 * that. An error rolls everything back; a conflict with another transaction repeats the work.
 */
export const inTransaction = <T>(
  { database, randomBytes }: Pick<StoreDeps, 'database' | 'randomBytes'>,
  siteId: string,
  work: (em: Transaction) => Promise<T>,
): Promise<T> =>
  database.shares.writes(siteId, async () => {
    const joinedTo = database.em.fork();
    if (!joinedTo.isInTransaction())
      return repeatConflicts({ randomBytes }, () => database.em.fork().transactional(work));
    const result = await work(joinedTo);
    await joinedTo.flush();
    return result;
  });

/**
 * Runs work of one statement, which is a transaction by itself: it takes one round trip instead of three. Within the
 * transaction that `deps` are joined to it is a part of that.
 */
export const inOneStatement = <T>(
  { database, randomBytes }: Pick<StoreDeps, 'database' | 'randomBytes'>,
  siteId: string,
  work: (em: Transaction) => Promise<T>,
): Promise<T> =>
  database.shares.writes(siteId, () => {
    const once = () => work(database.em.fork());
    return database.em.isInTransaction() ? once() : repeatConflicts({ randomBytes }, once);
  });

/** Notes what a read leaves behind, such as when a key was used; left out while the database can only be read. */
export async function noteWhereWritable(
  { database }: Pick<StoreDeps, 'database'>,
  note: () => Promise<unknown>,
): Promise<void> {
  if (database.lastRefusal()) return;
  try {
    await note();
  } catch (error) {
    // What was refused within a transaction ends all of it.
    if (database.em.isInTransaction() || !refusesWrites(error)) throw error;
  }
}

/**
 * `deps` for work within the transaction of `em`, which belongs to one site: every statement that goes through them is
 * part of it. What fails in it has to fail as a whole, unless it began with `em.transactional`, which is a savepoint.
 */
export function joined<D extends Pick<StoreDeps, 'database'>>(deps: D, siteId: string, em: Transaction): D {
  const fork: Transaction['fork'] = em.fork.bind(em);
  Object.assign(em, { fork: () => fork({ keepTransactionContext: true }) });
  const writes: Share = (ofSite, work) => {
    if (ofSite !== siteId) throw new Error('a transaction of one site writes to another site');
    return work();
  };
  const shares = { ...deps.database.shares, writes };
  const database: Database = Object.create(deps.database, { em: { value: em }, shares: { value: shares } });
  return { ...deps, database };
}

/**
 * The row, locked until the transaction ends: of two who change it at once, the second sees what the first did. Throws
 * `not_found`.
 */
export const lockRow = async <Row extends object>(
  em: Transaction,
  entity: EntityName<Row>,
  where: FilterQuery<NoInfer<Row>>,
) => found(await em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE }));

/** A site, and what its rows are reached through. */
export interface SiteScope {
  deps: StoreDeps;
  siteId: string;
}

/** A write to a site, and the revision that it is to be made on top of. */
export interface SiteWrite extends SiteScope {
  ifMatch?: IfMatch | undefined;
}

/**
 * The moment of a write of a locked row whose writes aren't counted: it is the row's revision, so no two have the same.
 * Throws `precondition_failed` when the row has another revision than was asked for.
 */
export function nextUpdated({ updated }: { updated: Date }, { deps, ifMatch }: SiteWrite): Timestamp {
  if (!matches(ifMatch, updated.getTime())) throw new ApiError('precondition_failed');
  return new Timestamp(Math.max(deps.clock.now().getTime(), updated.getTime() + 1));
}
