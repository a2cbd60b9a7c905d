import { type EntityName, type FilterQuery, LockMode } from '@mikro-orm/core';
import type { Transaction } from '../../shared/db/config.ts';
import { found } from './api-error.ts';
import type { StoreDeps } from './deps.ts';

/** Runs `work` in a transaction, in the site's share of the connections. Throws what `work` throws, with nothing kept. */
export const inTransaction = <T>(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  work: (em: Transaction) => Promise<T>,
): Promise<T> => database.shares.writes(siteId, () => database.em.fork().transactional(work));

/**
 * The row, locked until the transaction ends: of two who change it at once, the second sees what the first did. Throws
 * `not_found`.
 */
export const lockRow = async <Row extends object>(
  em: Transaction,
  entity: EntityName<Row>,
  where: FilterQuery<NoInfer<Row>>,
) => found(await em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE }));
