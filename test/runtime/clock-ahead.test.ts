import { expect, test } from 'vitest';
import { openDatabaseClock } from '../../shared/db/database-clock.ts';
import { jobs } from '../../shared/db/jobs.ts';
import { readRetentionCutoff } from '../../worker/run-worker.ts';
import { createTaskList } from '../../worker/tasks.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

// Deleted rows cannot be recovered, so no single clock decides that a row is expired.

test("a worker whose clock differs by months from the database's deletes nothing, and its jobs fail with both times", async () => {
  await using app = await startApp();
  app.clock.catchUp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id } = await studio.posts.create.mutate({ title: 'Deleted' });
  await studio.posts.delete.mutate({ id });
  const { database } = app.deps;
  const rows = () =>
    database.em.fork().execute(`select (select count(*) from trash) as trash,
      (select count(*) from events) as events, (select count(*) from owner_sessions) as sessions`);
  const before = await rows();
  expect(before).toEqual([{ trash: 1, events: expect.anything(), sessions: 1 }]);
  for (const days of [91, -182]) {
    app.clock.advance({ days });
    // The jobs throw before they use other worker dependencies, so those are not set up.
    const tasks = createTaskList({
      ...app.deps,
      retentionCutoff: () => readRetentionCutoff(database, app.clock),
    } as unknown as Parameters<typeof createTaskList>[0]);
    for (const [name, job] of Object.entries(jobs)) {
      if (!('schedule' in job)) continue;
      const done = Promise.resolve(tasks[name]?.({ _cron: { ts: '' } }, {} as never));
      await expect(done, name).rejects.toThrow('expired rows are not deleted: clock skew (this machine ');
    }
  }
  expect(await rows()).toEqual(before);
});

test('if two clocks differ by minutes, the earlier one decides which rows are expired', async () => {
  await using app = await startApp();
  const { database, clock } = { ...app.deps, clock: app.clock };
  clock.catchUp();
  clock.advance({ minutes: 3 });
  const cutoff = await readRetentionCutoff(database, clock);
  expect(cutoff.getTime()).toBeLessThan(clock.now().getTime() - 60_000);
  clock.advance({ minutes: -6 });
  expect(await readRetentionCutoff(database, clock)).toEqual(clock.now());
});

test('a server whose clock is ahead still restores records from the trash', async () => {
  await using app = await startApp();
  app.clock.catchUp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id } = await studio.posts.create.mutate({ title: 'Deleted' });
  await studio.posts.delete.mutate({ id });
  app.clock.advance({ days: 91 });
  const later = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await later.trash.restore.mutate({ collection: 'posts', id });
  expect(await later.posts.get.query({ id })).toMatchObject({ title: 'Deleted' });
});

test.for([-100, 100])(
  "a clock that is set %i days apart from the database's is ignored, and used again when it is set back",
  async (days) => {
    await using app = await startApp();
    app.clock.catchUp();
    const told: unknown[] = [];
    const { database } = app.deps;
    using clock = await openDatabaseClock({
      database,
      own: app.clock,
      noteApart: (timestamps) => told.push(timestamps),
    });
    app.clock.set({ hours: 24 * days });
    const apartMs = () => Math.abs(clock.now().getTime() - Date.now());
    expect(apartMs()).toBeLessThan(60_000);
    app.clock.advance({ hours: 1 });
    expect(apartMs()).toBeGreaterThan(3_500_000);
    expect(apartMs()).toBeLessThan(3_700_000);
    app.clock.set({ hours: -24 * days });
    expect(clock.now()).toEqual(app.clock.now());
    expect(told).toEqual([]);
    app.clock.set({ hours: 24 * days });
    using late = await openDatabaseClock({
      database,
      own: app.clock,
      noteApart: (timestamps) => told.push(timestamps),
    });
    expect(Math.abs(late.now().getTime() - Date.now())).toBeLessThan(60_000);
    expect(told).toEqual([{ own: app.clock.now(), theirs: late.now() }]);
  },
);
