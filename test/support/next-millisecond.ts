import type { TestApp } from './app.ts';

/**
 * Waits until PostgreSQL's clock shows the next millisecond. Callers see the time of an event in milliseconds, and a
 * fast machine logs two in one.
 */
export const nextMillisecond = ({ deps }: Pick<TestApp, 'deps'>) =>
  deps.database.em.execute(
    `select pg_sleep_until(date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond')`,
  );
