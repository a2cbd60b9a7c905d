import type { TestApp } from './app.ts';

/**
 * Waits until PostgreSQL's clock shows a later millisecond. Callers know the moment of an event by its millisecond, and a
 * fast machine logs two in one.
 */
export const nextMillisecond = ({ deps }: Pick<TestApp, 'deps'>) =>
  deps.database.em.execute(
    `select pg_sleep_until(date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond')`,
  );
