import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../server/api/limits/memory-rate-limiter.ts';
import { pruneLimits } from '../../server/api/limits/prune-limits.ts';
import { startApp } from '../support/app.ts';
import { TestClock } from '../support/clock.ts';
import { openSharedLimiter } from '../support/shared-limiter.ts';

// Decisions are specified by the tests of the memory limiter. These tests check that the shared limiter decides the same.

const step = fc.record({
  wants: fc.constantFrom('take', 'take', 'take', 'take', 'peek', 'refund'),
  tier: fc.constantFrom('normal', 'strict', 'poll'),
  subject: fc.constantFrom('a', 'b'),
  passedMs: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(90_000)),
});

test('processes that count in the database decide like one process that counts in memory', async () => {
  await using app = await startApp();
  const size = fc.record({
    perMinute: fc.integer({ min: 1, max: 700 }),
    burst: fc.integer({ min: 1, max: 9 }),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(size, fc.array(step, { maxLength: 60 }), async (bucket, steps) => {
      const clock = new TestClock();
      const tiers = { normal: bucket, strict: { perMinute: 5, burst: 3 }, poll: bucket };
      const memory = createMemoryRateLimiter(tiers, clock);
      const open = () => openSharedLimiter({ databaseUrl: app.databaseUrl, tiers, clock });
      await using one = open();
      await using other = open();
      round += 1;
      for (const [index, { wants, tier, subject, passedMs }] of steps.entries()) {
        clock.advance({ ms: passedMs });
        const shared = index % 2 ? one : other;
        const who = `${round} ${subject}`;
        expect([index, await shared[wants](tier, who)]).toEqual([index, await memory[wants](tier, who)]);
      }
    }),
    { numRuns: 60 },
  );
});

test('requests in the same tick, for several subjects, are decided in their order', async () => {
  await using app = await startApp();
  const clock = new TestClock();
  const tiers = { normal: { perMinute: 60, burst: 5 }, poll: { perMinute: 4, burst: 4 } };
  const memory = createMemoryRateLimiter(tiers, clock);
  await using shared = openSharedLimiter({ databaseUrl: app.databaseUrl, tiers, clock });
  const asks = Array.from({ length: 40 }, (_, n) => ({
    wants: n % 7 === 3 ? ('peek' as const) : ('take' as const),
    tier: n % 3 ? ('normal' as const) : ('poll' as const),
    subject: `client ${n % 2}`,
  }));
  const askAll = (limiter: typeof memory) =>
    Promise.all(asks.map(({ wants, tier, subject }) => limiter[wants](tier, subject)));

  const decisions = await askAll(shared);
  expect(decisions).toEqual(await askAll(memory));
  expect(decisions.map((decision) => decision?.allowed)).toContain(false);
});

test('peek stores no row, and returns the quota that takes have left', async () => {
  await using app = await startApp();
  const tiers = { normal: { perMinute: 60, burst: 5 }, poll: { perMinute: 4, burst: 4 } };
  await using shared = openSharedLimiter({ databaseUrl: app.databaseUrl, tiers, clock: new TestClock() });
  const rows = () => app.deps.database.em.execute('select key from rate_limits');
  for (const [tier, remaining] of [
    ['normal', 5],
    ['poll', 4],
  ] as const) {
    expect(await shared.peek(tier, 'a')).toMatchObject({ allowed: true, remaining });
    expect(await rows()).toEqual([]);
    await shared.take(tier, 'a');
    expect(await shared.peek(tier, 'a')).toMatchObject({ remaining: remaining - 1 });
    await app.deps.database.em.execute('delete from rate_limits');
  }
});

test('a refunded token can be taken in the same tick', async () => {
  await using app = await startApp();
  const tiers = { normal: { perMinute: 1, burst: 1 } };
  const databaseUrl = app.databaseUrl;
  await using shared = openSharedLimiter({ databaseUrl, tiers, clock: new TestClock() });
  await shared.take('normal', 'a');
  const [again] = await Promise.all([shared.take('normal', 'a'), shared.refund('normal', 'a')]);
  expect(again).toMatchObject({ allowed: true });
  expect(await shared.take('normal', 'a')).toMatchObject({ allowed: false });
});

test('a tier that is off decides null, and a tier with changed limits starts full', async () => {
  await using app = await startApp();
  const { databaseUrl } = app;
  await using one = openSharedLimiter({
    databaseUrl,
    tiers: { normal: 'off', strict: { perMinute: 1, burst: 1 } },
  });
  expect(await one.take('normal', 'a')).toBeNull();
  expect(await one.take('strict', 'a')).toMatchObject({ allowed: true });
  expect(await one.take('strict', 'a')).toMatchObject({ allowed: false });
  await using other = openSharedLimiter({ databaseUrl, tiers: { strict: { perMinute: 2, burst: 1 } } });
  expect(await other.take('strict', 'a')).toMatchObject({ allowed: true });
});

test('the table contains hashes instead of client addresses and keys', async () => {
  await using app = await startApp();
  await using shared = openSharedLimiter({ databaseUrl: app.databaseUrl, tiers: {} });
  await shared.take('normal', '203.0.113.9');
  await shared.take('poll', 'k'.repeat(10_000));
  const rows = await app.deps.database.em.execute<{ key: string }[]>('select key from rate_limits');
  expect(rows).toEqual(Array(2).fill({ key: expect.stringMatching(/^[\w-]{22}$/) }));
});

test('pruning deletes the rows of full buckets only', async () => {
  await using app = await startApp();
  const tiers = { normal: { perMinute: 9_999_999, burst: 1 }, strict: { perMinute: 1, burst: 2 } };
  await using shared = openSharedLimiter({ databaseUrl: app.databaseUrl, tiers });
  for (const tier of ['normal', 'strict', 'poll'] as const) await shared.take(tier, 'a');
  await app.deps.database.em.execute(`
    insert into rate_limits select 'old ' || n, 60, 10, 0, 1, 0, null from generate_series(1, 12000) as n`);

  await pruneLimits(app.deps.database);

  const left = await app.deps.database.em.execute('select per_minute from rate_limits order by 1');
  expect(left).toEqual([{ per_minute: 1 }, { per_minute: 20 }]);
  expect(await shared.take('strict', 'a')).toMatchObject({ allowed: true, remaining: 0 });
  expect(await shared.take('strict', 'a')).toMatchObject({ allowed: false });
});
