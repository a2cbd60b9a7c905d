/**
 * Publishes drafts with real workers under faults. Every test run includes the short form; `pnpm test:faults` runs the
 * long one.
 */
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { type Stage, startStage } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { startOwnDatabase } from '../support/own-database.ts';
import { ownerClient } from '../support/rpc.ts';
import { addScheduledPosts } from '../support/scheduled.ts';

const long = process.env.FAULTS === 'long';

if (long) vi.setConfig({ testTimeout: 1_800_000 });

const count = 1_000;

/** Creates drafts that are due soon, and returns the effects of their publication once all are published. */
async function scheduleMany(stage: Stage, inMs: number) {
  const { deps, seed, baseUrl } = stage.app;
  const siteId = await seed.site();
  const { studio } = ownerClient(baseUrl, await seed.ownerToken(siteId));
  const { id: like } = await studio.posts.create.mutate({ title: 'Later', is_draft: true });
  const publish_at = new Date(Date.now() + inMs);
  await addScheduledPosts(deps.database, { siteId, like, count, publish_at });
  const request = async <Row>(query: ReturnType<typeof sql<Row>>) =>
    (await query.execute(deps.database.em.fork().getKysely())).rows;
  const published = async () => {
    const rows = await request(sql<{ published: number }>`
      select count(*)::integer as published from posts where site_id = ${siteId} and not is_draft`);
    return rows[0]?.published ?? 0;
  };
  return {
    /** Resolves when the first of them are published, and others are about to be. */
    begun: () => eventually(async () => (await published().catch(() => 0)) > 0),
    async expectEachOnce() {
      await eventually(async () => (await published().catch(() => 0)) === count);
      const [left] = await request(sql`
        select
          (select array[min(revision), max(revision)] from posts where site_id = ${siteId} and not is_draft) as revisions,
          (select count(*)::integer from posts where site_id = ${siteId} and published_at = ${publish_at}) as dated,
          (select count(*)::integer from record_revisions where site_id = ${siteId} and actor ->> 'kind' = 'schedule') as written,
          (select count(*)::integer from events where site_id = ${siteId} and name = 'content.updated') as updated,
          (select count(*)::integer from events where site_id = ${siteId} and name = 'content.published') as published,
          (select count(distinct body::json -> 'data' ->> 'id')::integer from events
            where site_id = ${siteId} and name = 'content.published') as told,
          (select count(*)::integer from events where site_id = ${siteId} and name <> 'content.created' and occurred_at < ${publish_at}) as early`);
      expect(left).toEqual({
        revisions: [2, 2],
        dated: count,
        written: count,
        updated: count,
        published: count,
        told: count,
        early: 0,
      });
    },
  };
}

test('of 1,000 drafts due at the same time, each is published once and not early, while workers are killed', async () => {
  await using stage = await startStage();
  const workers = [await stage.startWorker(), await stage.startWorker()];
  for (let round = 0; round < (long ? 40 : 3); round++) {
    const drafts = await scheduleMany(stage, 300);
    await drafts.begun();
    // Kill either worker or both, so that at times none runs until another starts.
    const victims = round % 3 === 2 ? [0, 1] : [round % 3];
    await Promise.all(victims.map((position) => workers[position]?.kill()));
    for (const position of victims) workers[position] = await stage.startWorker();
    await drafts.expectEachOnce();
  }
});

test('a PostgreSQL restart while 1,000 drafts are published loses none of them', async () => {
  await using postgres = await startOwnDatabase();
  await using stage = await startStage({ serverUrl: postgres.url });
  await stage.startWorker();
  await stage.startWorker();
  for (let round = 0; round < (long ? 15 : 1); round++) {
    const drafts = await scheduleMany(stage, 300);
    await drafts.begun();
    await postgres.restart();
    await drafts.expectEachOnce();
  }
});

test('drafts that became due while the worker or the database was unavailable are published afterwards', async () => {
  await using stage = await startStage();
  const missed = await scheduleMany(stage, -60_000);
  await stage.startWorker();
  await missed.expectEachOnce();
  stage.proxy.refuse();
  const cutOff = await scheduleMany(stage, -1);
  stage.proxy.accept();
  await cutOff.expectEachOnce();
});
