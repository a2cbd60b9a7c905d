import type { EntityManager } from '@mikro-orm/postgresql';
import { recordEvent } from '../../shared/content/write.ts';
import type { TestApp } from './app.ts';

/**
 * Starts a transaction that has logged an event, and ends on demand. Dispose of it with `await using`, because an app
 * cannot end before it.
 */
export async function openWrite(app: TestApp, title: string) {
  const siteId = await app.seed.ownSite();
  const logged = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const write = async (em: EntityManager) => {
    await em.execute('select pg_current_xact_id()');
    const data = { id: 'mb3k9x2a7f0q1zd', collection: 'posts', title, slug: 'x' } as const;
    await recordEvent(em, app.deps, { siteId, name: 'content.created', data });
    logged.resolve();
    await end.promise;
  };
  const done = app.deps.database.em.fork().transactional(write);
  await Promise.race([logged.promise, done]);
  const rollBack = () => {
    end.reject(new Error('rolled back'));
    return done.catch(() => {});
  };
  return {
    commit() {
      end.resolve();
      return done;
    },
    rollBack,
    [Symbol.asyncDispose]: rollBack,
  };
}

/**
 * Waits until PostgreSQL's clock shows the next millisecond. Callers see the time of an event in milliseconds, and a
 * fast machine logs two in one.
 */
export const nextMillisecond = ({ deps }: Pick<TestApp, 'deps'>) =>
  deps.database.em.execute(
    `select pg_sleep_until(date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond')`,
  );
