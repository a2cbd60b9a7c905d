import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './config.ts';
import { type JobName, type JobPayload, jobs } from './jobs.ts';

/**
 * SQL of the call that puts a job into the queue, for a `select` in the transaction of what it is about. A job is tried
 * once, unless its row says otherwise: what one that was lost left undone, the worker's sweep finds.
 */
export const addJob = <Name extends JobName>(name: Name, payload: JobPayload<Name>): RawBuilder<unknown> =>
  sql`add_job(${name}, ${JSON.stringify(payload)}::json, max_attempts => ${attemptsOf(jobs[name])})`;

/** Puts a job into the queue, in the transaction of what it is about. */
export const queueJob = <Name extends JobName>(em: Transaction, name: Name, payload: JobPayload<Name>) =>
  sql`select ${addJob(name, payload)}`.execute(em.getKysely());

const attemptsOf = (job: (typeof jobs)[JobName]) => ('attempts' in job ? job.attempts : 1);
