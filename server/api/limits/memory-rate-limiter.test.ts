import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mailLimits, signInLimits, tiers } from '../../../shared/contract/limits.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { TestClock } from '../../../test/support/clock.ts';
import { createMemoryRateLimiter } from './memory-rate-limiter.ts';
import type { TierSettings } from './tiers.ts';

function setUp(settings: TierSettings = {}) {
  const clock = new TestClock();
  const limiter = createMemoryRateLimiter(settings, clock);
  return {
    clock,
    take: (subject = 'a', tier: keyof typeof tiers = 'normal') => limiter.take(tier, subject),
    refund: (subject = 'a', tier: keyof typeof tiers = 'normal') => limiter.refund(tier, subject),
  };
}

/** Seconds since the epoch, as in headers. */
const seconds = (timestamp: Date) => Math.ceil(timestamp.getTime() / 1_000);

/** Limits that `RATE_LIMIT_STRICT=off` switches off (docs/reference/limits.md#failed-attempts). */
const withStrict = [
  ...['guesses_person', 'guesses_all', 'guesses_browser', 'guesses_inside'],
  ...['codes_mailbox', 'codes_everywhere', 'codes_browser'],
  ...['registrations', 'assistant_tokens'],
];

test.for([...keysOf(tiers), 'no tier'] as const)(
  'with %s off, all other rate limits count; limits that the contract ties to the strict tier are off with it',
  async (tier) => {
    const settings: TierSettings = tier === 'no tier' ? {} : { [tier]: 'off' };
    const limiter = createMemoryRateLimiter(settings, new TestClock());
    const names = [...keysOf(tiers), ...keysOf(signInLimits), ...keysOf(mailLimits)];
    const off = names.filter((name) => limiter.take(name, 'a') === null);
    const expected = { 'no tier': [], strict: ['strict', ...withStrict] }[String(tier)] ?? [tier];
    expect(off.toSorted()).toEqual(expected.toSorted());
  },
);

test.for(Object.entries(tiers))(
  'tier %s allows its burst immediately, and then refuses',
  async ([name, { burst }]) => {
    const { take } = setUp();
    for (let left = burst - 1; left >= 0; left -= 1) {
      expect(await take('a', name as keyof typeof tiers)).toMatchObject({
        allowed: true,
        limit: burst,
        remaining: left,
        retryAfter: 0,
      });
    }
    expect(await take('a', name as keyof typeof tiers)).toMatchObject({
      allowed: false,
      limit: burst,
      remaining: 0,
    });
  },
);

test.for(Object.entries(tiers).filter(([, { kind }]) => kind === 'bucket'))(
  'tier %s refills at its rate',
  async ([name, { perMinute, burst }]) => {
    const { clock, take } = setUp();
    const tier = name as keyof typeof tiers;
    for (let taken = 0; taken < burst; taken += 1) await take('a', tier);
    let passed = 0;
    for (let step = 0; step < perMinute; step += 1) {
      clock.advance({ ms: 60_000 / perMinute });
      if ((await take('a', tier))?.allowed) passed += 1;
      expect(await take('a', tier)).toMatchObject({ allowed: false });
    }
    expect(passed).toBe(perMinute);
  },
);

test('the reset of a rate limit is the time at which its bucket is full, and a wait is in whole seconds', async () => {
  const { clock, take } = setUp({ normal: { perMinute: 60, burst: 2 } });
  expect(await take()).toEqual({
    allowed: true,
    limit: 2,
    remaining: 1,
    resetAt: seconds(clock.inMinutes(1 / 60)),
    retryAfter: 0,
  });
  await take();
  clock.advance({ ms: 1 });
  const resetAt = seconds(new Date(clock.now().getTime() + 1_999));
  expect(await take()).toEqual({ allowed: false, limit: 2, remaining: 0, resetAt, retryAfter: 1 });
});

test('subjects and tiers are counted separately', async () => {
  const { take } = setUp({ normal: { perMinute: 1, burst: 1 }, strict: { perMinute: 1, burst: 1 } });
  expect(await take('a')).toMatchObject({ allowed: true });
  expect(await take('a')).toMatchObject({ allowed: false });
  expect(await take('b')).toMatchObject({ allowed: true });
  expect(await take('a', 'strict')).toMatchObject({ allowed: true });
});

test('a tier that is off returns no decision and ignores refunds', async () => {
  const { take, refund } = setUp({ normal: 'off' });
  expect(await take()).toBeNull();
  await refund();
});

test.for(['normal', 'poll'] as const)('a request refunded to tier %s can be taken again', async (tier) => {
  const { take, refund } = setUp({ [tier]: { perMinute: 2, burst: 2 } });
  await take('a', tier);
  await refund('a', tier);
  await refund('b', tier);
  expect(await take('a', tier)).toMatchObject({ allowed: true, remaining: 1 });
  expect(await take('b', tier)).toMatchObject({ allowed: true, remaining: 1 });
});

test('the poll tier allows a further request exactly 60 seconds after an earlier one', async () => {
  const { clock, take } = setUp({ poll: { perMinute: 2, burst: 2 } });
  const first = await take('a', 'poll');
  expect(first).toEqual({
    allowed: true,
    limit: 2,
    remaining: 1,
    resetAt: seconds(clock.inMinutes(1)),
    retryAfter: 0,
  });
  clock.advance({ seconds: 20 });
  await take('a', 'poll');
  const resetAt = seconds(clock.inMinutes(1));
  clock.advance({ ms: 39_999 });
  expect(await take('a', 'poll')).toEqual({ allowed: false, limit: 2, remaining: 0, resetAt, retryAfter: 1 });
  clock.advance({ ms: 1 });
  expect(await take('a', 'poll')).toMatchObject({ allowed: true, remaining: 0 });
  expect(await take('a', 'poll')).toMatchObject({ allowed: false, retryAfter: 20 });
});

const pauses = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 90_000 })),
  {
    minLength: 1,
    maxLength: 200,
  },
);

test('the poll tier allows exactly those requests that keep any 60 seconds within its number', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 25 }), pauses, async (max, gaps) => {
      const { clock, take } = setUp({ poll: { perMinute: max, burst: max } });
      const passed: number[] = [];
      for (const ms of gaps) {
        clock.advance({ ms });
        const now = clock.now().getTime();
        const room = passed.filter((time) => time > now - 60_000).length < max;
        expect((await take('a', 'poll'))?.allowed).toBe(room);
        if (room) passed.push(now);
      }
    }),
    { numRuns: 50 },
  );
});

test('a client that waits as long as required is allowed, for any rate and burst of a tier', async () => {
  const tier = fc.constantFrom('normal' as const, 'poll' as const);
  const size = fc.record({
    perMinute: fc.integer({ min: 1, max: 700 }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(tier, size, pauses, async (name, bucket, gaps) => {
      const { clock, take } = setUp({ [name]: bucket });
      for (const ms of gaps) {
        clock.advance({ ms });
        const decision = await take('a', name);
        if (decision?.allowed) continue;
        expect(decision?.retryAfter).toBeGreaterThan(0);
        clock.advance({ seconds: decision?.retryAfter ?? 0 });
        expect((await take('a', name))?.allowed).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test('a flood of 25,000 new clients does not shorten the wait of an earlier client', async () => {
  const { clock, take } = setUp({ normal: { perMinute: 1, burst: 1 } });
  await take('waiting');
  clock.advance({ seconds: 30 });
  for (let client = 0; client < 25_000; client += 1) await take(`client ${client}`);
  expect(await take('waiting')).toMatchObject({ allowed: false, retryAfter: 30 });
});
