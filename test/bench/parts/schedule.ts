import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { insertRecord } from '../../../shared/content/records.ts';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { memorySettings } from '../../support/process.ts';
import { addScheduledPosts } from '../../support/scheduled.ts';
import type { Part } from '../bench.ts';
import { startProcess } from '../processes.ts';
import { count, millis } from '../report.ts';
import { openOperator, secretKey } from '../site.ts';
import { quantile } from '../statistics.ts';

const sites = 10;
const draftsPerSite = 100;
const drafts = sites * draftsPerSite;
const maxLateMs = 1_000;

/** Time for workers to start before anything is due, in milliseconds. */
const startMs = 5_000;

type Operator = Awaited<ReturnType<typeof openOperator>>;

/** Delay of a thousand drafts of ten sites with the same due time, until they are public, by the database's clock. */
export const schedule: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_schedule');
  await using operator = await openOperator(databaseUrl);
  const startWorker = () =>
    startProcess(new URL('../../../worker/main.ts', import.meta.url), {
      ...memorySettings,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: secretKey,
    });
  await using _first = startWorker();
  await using second = startWorker();
  const undisturbed: number[] = [];
  for (let round = 0; round < bench.rounds; round++) undisturbed.push(...(await latenesses(operator)));
  const killed = await latenesses(operator, () => second.child.kill('SIGKILL'));
  return [
    rowOf(`${count(drafts)} drafts due at one moment, late by, p99`, undisturbed),
    rowOf('the same while one of two workers is killed (SIGKILL)', killed),
  ];
};

function rowOf(work: string, lateMs: readonly number[]): Awaited<ReturnType<Part>>[number] {
  const [p50, p99, min] = [quantile([...lateMs], 0.5), quantile([...lateMs], 0.99), Math.min(...lateMs)];
  return {
    work,
    target: `0 to ${maxLateMs} ms`,
    result: `${millis(p99)} (p50 ${millis(p50)}, earliest ${millis(min)})`,
    met: min >= 0 && p99 <= maxLateMs,
    values: { p50Ms: p50, p99Ms: p99, minMs: min, drafts: lateMs.length },
  };
}

/**
 * Returns the milliseconds from the due time of each draft until it was seen published. Calls `strike` when the first
 * are.
 */
async function latenesses(operator: Operator, strike = () => {}): Promise<number[]> {
  const timestamp = await addDue(operator);
  const lateMs: number[] = [];
  for (let seen = 0; lateMs.length < drafts; ) {
    const { published, sinceMs } = await lookAt(operator, timestamp);
    if (seen === 0 && published > 0) strike();
    for (; seen < published; seen++) lateMs.push(sinceMs);
    if (sinceMs > 60_000) throw new Error(`${drafts - published} drafts are not published`);
    await delay(5);
  }
  return lateMs;
}

/** Counts the published drafts of a due time, and returns the time since then. */
async function lookAt({ database }: Operator, timestamp: Date) {
  const { rows } = await sql<{ published: number; sinceMs: number }>`
    select count(*)::integer as published, (extract(epoch from clock_timestamp() - ${timestamp}::timestamptz) * 1000)::float8 as "sinceMs"
    from posts where published_at = ${timestamp}`.execute(database.em.getKysely());
  return rows[0] ?? { published: 0, sinceMs: 0 };
}

/** Creates sites with drafts that are all due at the returned time. */
async function addDue(operator: Operator): Promise<Date> {
  const { database, clock, randomBytes } = operator;
  const now = clock.now();
  const publish_at = new Date(now.getTime() + startMs);
  const actor = { kind: 'owner', id: '', name: 'Ada Marsh' } as const;
  const unset = unsetValues(post.fields);
  for (let n = 0; n < sites; n++) {
    const siteId = await createSite(operator, { name: `Site ${n}`, plan: 'pro' });
    const id = newRecordId(now, randomBytes);
    const own = { site_id: siteId, id, title: 'Later', slug: id, is_draft: true, publish_at: null };
    const row = { ...unset, ...own, created: now, updated: now, revision: 1, created_by: null };
    const writer = { deps: operator, siteId, resource: post, actor };
    await database.em.fork().transactional((em) => insertRecord(em, writer, { row, unset }));
    await addScheduledPosts(database, { siteId, like: id, count: draftsPerSite, publish_at });
  }
  return publish_at;
}
