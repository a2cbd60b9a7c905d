import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryRateLimiter } from '../../server/api/limits/memory-rate-limiter.ts';
import { pruneLimits } from '../../server/api/limits/prune-limits.ts';
import { following } from '../../shared/contract/limits.ts';
import { systemClock } from '../../shared/contract/timestamps.ts';
import { endInvalidLeases } from '../../worker/deliveries/sweep.ts';
import { findDue } from '../../worker/jobs/find-due.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { TestClock } from '../support/clock.ts';
import { startFollower } from '../support/follower.ts';
import { startMailServer } from '../support/mail-server.ts';
import { readReadiness } from '../support/readiness.ts';
import { openSharedLimiter } from '../support/shared-limiter.ts';

// A system clock can jump forward and back: an operator or NTP sets it, or a machine wakes up.

const tiers = { normal: { perMinute: 60, burst: 10 }, poll: { perMinute: 20, burst: 20 } };
const limited = [
  ['normal', 10],
  ['poll', 20],
] as const;

test.for([-1, 1])('rate limits in memory are not affected if the clock is set by %i hours', async (hours) => {
  const clock = new TestClock();
  const limiter = createMemoryRateLimiter(tiers, clock);
  for (const [tier, max] of limited) {
    for (let n = 0; n < max; n++) await limiter.take(tier, 'a');
    const before = await limiter.take(tier, 'a');
    clock.set({ hours });
    const after = await limiter.take(tier, 'a');
    expect(after).toEqual({ ...before, resetAt: (before?.resetAt ?? 0) + hours * 3_600 });
    expect(after).toMatchObject({ allowed: false });
    clock.advance({ minutes: 1 });
    expect(await limiter.take(tier, 'a')).toMatchObject({ allowed: true, remaining: max - 1 });
  }
});

test('with rate limits in the database, a clock that is set back neither lengthens the wait beyond a full refill nor lifts the limit', async () => {
  await using app = await startApp();
  const clock = new TestClock();
  await using limiter = openSharedLimiter({ databaseUrl: app.databaseUrl, tiers, clock });
  for (const [tier, max] of limited) {
    for (let n = 0; n < max; n++) await limiter.take(tier, 'a');
    clock.set({ hours: -1 });
    const [longest, after] = tier === 'poll' ? [60, 60] : [1, 10];
    const refused = await limiter.take(tier, 'a');
    expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfter: longest });
    clock.advance({ seconds: after });
    expect(await limiter.take(tier, 'a')).toMatchObject({ allowed: true, remaining: max - 1 });
  }
});

test('rate limits in the database that were counted with a clock an hour ahead are pruned like all others', async () => {
  await using app = await startApp();
  const databaseUrl = app.databaseUrl;
  await using limiter = openSharedLimiter({ databaseUrl, tiers });
  for (const [tier] of limited) await limiter.take(tier, 'a');
  const { em } = app.deps.database;
  const set = (hours: number) =>
    em.execute(`update rate_limits set full_at = full_at + ${hours * 3_600_000} * per_minute`);
  await set(1);
  await pruneLimits(app.deps.database);
  await set(-0.5);
  await pruneLimits(app.deps.database);
  expect(await em.execute('select key from rate_limits')).toEqual([]);
});

test.for([-1, 1])(
  'readiness is checked again after a second if the clock is set by %i hours',
  async (hours) => {
    await using app = await startApp();
    expect((await readReadiness(app)).status).toBe(200);
    await app.deps.database.em.execute('alter table migrations rename to migrations_of_another');
    app.clock.set({ hours });
    expect((await app.get('/readyz')).status).toBe(200);
    app.clock.advance({ seconds: 1 });
    expect((await app.get('/readyz')).status).toBe(503);
  },
);

test('a claim on an idempotency key that ends later than any claim can is ignored, since the clock was set back', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ smtpUrl: mail.url });
  await app.seed.ownSite();
  const request = () =>
    app.post('/trpc/site.members.requestCode', {
      body: { json: { email: 'grace@example.com' } },
      headers: { 'idempotency-key': 'a' },
    });
  expect((await request()).status).toBe(200);
  const claimFor = (minutes: number) =>
    app.deps.database.em.execute('update idempotency_keys set answer_sealed = null, claimed_until = ?', [
      app.clock.inMinutes(minutes),
    ]);
  await claimFor(1);
  expect((await request()).status).toBe(503);
  await claimFor(61);
  expect((await request()).status).toBe(200);
  expect(mail.mails).toHaveLength(2);
});

test('follower slots that were leased before the clock was set back are free', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key();
  const fill = (until: string) =>
    app.deps.database.em.execute(
      `insert into event_followers (site_id, place, holder, expires_at)
       select ?, n, 'of another ' || n, now() + interval '${until}' from generate_series(1, ?) as n
       on conflict (site_id, place) do update set expires_at = excluded.expires_at`,
      [siteId, following.perSite],
    );
  await fill('20 seconds');
  await expect(startFollower(app.baseUrl, { key })).rejects.toThrow();
  await fill('1 hour');
  await using follower = await startFollower(app.baseUrl, { key });
  expect(follower).toBeDefined();
});

test('leases of deliveries that end later than any lease can are ended, and the times of scheduled retries are kept', async () => {
  await using app = await startApp();
  await app.seed.ownSite();
  const { database } = app.deps;
  await database.em.execute(
    `insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit, in_replay, due_at, asked_at, lease_until, created, updated)
     select id, 'delivery0000' || state, 'subscription' || state, 'event00000' || state, 'content.created', 'retrying', 1, 6, false,
       case when state <> 'ask' then now() + ahead end, case when state = 'ask' then now() + ahead end,
       case when state <> 'own' then now() + ahead end, now(), now()
     from sites, (values ('way', interval '12 seconds'), ('far', '1 hour'), ('ask', '1 hour'), ('own', '12 hours')) as d (state, ahead)`,
  );
  await endInvalidLeases(database, 12_000);
  const { scheduled } = await findDue(
    { database, clock: systemClock, publicUrl: new URL('http://localhost:3000') },
    12_000,
  );
  expect(scheduled.map(({ subscription_id }) => subscription_id)).toEqual(['subscriptionfar']);
  expect(await database.em.execute('select id from webhook_deliveries where asked_at <= now()')).toEqual([
    { id: 'delivery0000ask' },
  ]);
});

/** Sets the clock that the app's database reports, by replacing its clock functions: the machine's clock is shared. */
async function setDatabaseClock({ deps: { database } }: TestApp, seconds: number) {
  const { em } = database;
  const [known] = await em.execute(`select to_regclass('clock_ahead')::text as name`);
  if (!known?.name) {
    await em.execute('create table clock_ahead as select interval $$0$$ as ahead');
    for (const [name, volatility] of [
      ['now', 'stable'],
      ['clock_timestamp', 'volatile'],
    ]) {
      await em.execute(`alter function pg_catalog.${name}() rename to machine_${name}`);
      await em.execute(
        `create function pg_catalog.${name}() returns timestamptz language sql ${volatility}
         as 'select pg_catalog.machine_${name}() + (select ahead from public.clock_ahead)'`,
      );
    }
  }
  await em.execute(`update clock_ahead set ahead = interval '${seconds} seconds'`);
}

test('if the database’s clock is set back, no event is skipped, neither by polling nor by following', async () => {
  await using app = await startApp({ following: { tickMs: 20 } });
  await setDatabaseClock(app, 3_600);
  await app.seed.ownSite();
  const key = await app.seed.key();
  const write = (title: string) => app.post('/api/v1/posts', { key, body: { title } });
  const poll = async (query: string) => {
    const { body } = await app.get(`/api/v1/webhooks/poll/content.created?${query}`, { key });
    return z
      .object({ events: z.array(z.object({ data: z.object({ title: z.string() }) })) })
      .parse(body)
      .events.map(({ data }) => data.title);
  };
  await write('ahead');
  await using waiting = await startFollower(app.baseUrl, { key });
  await write('seen');
  const [seen] = await waiting.told(1);

  await setDatabaseClock(app, 3_599);
  await write('behind');
  expect(await poll('since=2020-01-01T00:00:00Z')).toEqual(['ahead', 'seen', 'behind']);
  await using late = await startFollower(app.baseUrl, { key });
  await write('further');
  await setDatabaseClock(app, 3_601);
  await waiting.told(3);
  await late.told(1);
  expect(seen?.data).toMatchObject({ title: 'seen' });
  expect(waiting.titles()).toEqual(['seen', 'behind', 'further']);
  expect(late.titles()).toEqual(['further']);
});

test('a follower of a site without events misses none if the database’s clock is set back', async () => {
  await using app = await startApp({ following: { tickMs: 20 } });
  await setDatabaseClock(app, 3_600);
  await app.seed.ownSite();
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  await setDatabaseClock(app, 0);
  await app.post('/api/v1/posts', { key, body: { title: 'an hour before' } });
  await follower.told(1);
  expect(follower.titles()).toEqual(['an hour before']);
});

/** Files that compare or subtract times of an adjustable clock, with the reason why a jump does no harm. */
const compared: Record<string, string> = {
  'server/api/access/admit-request.ts': 'a key ends at a moment',
  'server/api/access/api-key.ts': 'when a key was used is noted again once it is a minute off, either way',
  'server/api/access/access-checks.ts': 'a proof ends at a moment, and is asked for anew',
  'server/api/access/owner-session.ts':
    'when a session was used is noted again once it is minutes off, either way',
  'server/cli/backup/commands.ts': 'kept for days',
  'server/accounts/api-keys/store.ts': 'a secret ends at a moment',
  'server/accounts/assistants/authorize.ts': 'a request ends at a moment, and is made again',
  'server/accounts/assistants/client-documents.ts': 'a moment in a header, within bounds',
  'server/accounts/assistants/grants.ts': 'an end that somebody chose is a moment',
  'server/accounts/assistants/requests.ts': 'a code ends at a moment',
  'server/accounts/assistants/tokens.ts': 'codes, tokens and grants end at a moment',
  'server/audience/subscribers/confirmation.ts': 'a link ends at a moment, as its mail says',
  'server/events/event-log.ts': 'events are kept for days',
  'server/events/follower-slots.ts': 'a place that lies further ahead than any lease is free',
  'server/audience/members/member-session.ts':
    'a session ends at a moment; when a member was seen is noted again once it is a minute off, either way',
  'server/audience/members/sign-in.ts': 'a code ends at a moment, as its mail says',
  'server/accounts/people/invitations.ts': 'a link ends at a moment, as its mail says',
  'server/accounts/people/store.ts': 'an invitation ends at a moment',
  'server/content/previews/store.ts': 'a link ends at a moment, as its owner was told',
  'server/transfer/read-source.ts': 'an id holds a moment',
  'shared/importers/parse-time.ts': 'a date of the imported text is computed, not the present time',
  'server/api/access/transfer-tickets.ts': 'a ticket is used once, by whoever was given it',
  'server/content/trash/store.ts': 'kept for days',
  'server/accounts/sessions/email-change.ts': 'a link ends at a moment, as its mail says',
  'server/accounts/sessions/factors/challenges.ts': 'a challenge ends at a moment, and another is asked for',
  'server/accounts/sessions/factors/sign-in.ts': 'a proof ends at a moment, and is asked for anew',
  'server/accounts/sessions/passwords.ts': 'a link ends at a moment',
  'server/accounts/sessions/store.ts': 'a session ends at a moment',
  'server/events/webhooks/delivery-log.ts': 'events are kept for days',
  'server/events/webhooks/redeliver.ts': 'events are kept for days; a retry is due at a moment',
  'server/events/webhooks/subscriptions.ts': 'a secret ends at a moment',
  'server/api/calls/idempotency/idempotent.ts': 'a claim that lies further ahead than any is over',
  'server/selling/attention.ts': 'a refund is listed for 30 days',
  'server/selling/checkouts.ts': 'a checkout expires at its time',
  'server/selling/demo.ts': 'a checkout expires at its time; a demo membership ends at its time',
  'server/selling/memberships.ts': 'a report from the future is refused; a membership ends at its time',
  'server/start/bundle.ts': 'what seems to be of later is bundled at another start',
  'shared/content/schedule.ts': 'drafts are published at a moment',
  'shared/contract/audience/membership.ts': 'the end of a period is shown',
  'shared/contract/timestamps.ts': 'what was written is read',
  'shared/db/database-clock.ts': 'two clocks are compared with each other',
  'shared/db/delivery-queue.ts': 'a measurement of the moment',
  'shared/db/advisory-lock.ts': 'tells leases that lie further ahead than any',
  'shared/media/protected-files.ts': 'a signed address ends at a time',
  'shared/media/removals.ts': 'what is to be removed may wait',
  'shared/runtime/remove-left-folders.ts': 'what was unfinished is made again',
  'shared/runtime/database-metrics.ts': 'by the clock that goes on evenly',
  'worker/deliveries/claim.ts': 'the sweep ends leases that lie further ahead than any',
  'worker/deliveries/save-outcomes.ts': 'a retry is due at a moment',
  'worker/deliveries/sweep.ts': 'ends leases that lie further ahead than any',
  'worker/jobs/find-due.ts': 'what is late is found again and again',
  'worker/jobs/prune.ts': 'kept for days',
  'server/selling/connection.ts': 'events are listed from days before a connection',
  'shared/db/changes-of.ts': 'a record never seems older than it was',
  'shared/selling/connection.ts':
    'a refused key is tried again after an hour, and times that lie further ahead are over',
  'shared/selling/leave-account.ts': 'a bank transfer is followed for weeks',
  'shared/db/jobs.ts': 'a job waits for some time',
  'shared/selling/fold.ts': 'a membership ends at a time of Stripe',
  'worker/payments/lease.ts': 'leases and passes that lie further ahead than any are over',
  'worker/payments/pass.ts':
    'events are listed from before the last pass, and a listing that lies ahead is made again',
  'worker/newsletters/claim.ts': 'a copy is due at a moment; leases that lie further ahead than any are over',
  'worker/newsletters/settle-recipients.ts': 'ends leases that lie further ahead than any',
  'worker/images/make-renditions.ts': 'a lease that lies further ahead than any is over',
  'worker/metrics.ts': 'a measurement of the moment',
  'worker/jobs/roll-up.ts': 'days',
  'worker/tasks.ts': 'unfinished files go after a day',
  'worker/run-worker.ts': 'two clocks are compared with each other',
};

const numbers = String.raw`(Date\.now\(\)|new Date\(\)|getTime\(\)|mtimeMs|clock\.now\(\))`;
const timestamps = String.raw`((?<![\w.])now\(\)|clock_timestamp\(\)|statement_timestamp\(\)|date_part\('epoch')`;
const operator = `((?<!=)[<>]=?|[-+](?!>)|'[<>]=?',)`;
const comparisons = [numbers, timestamps].map(
  (timestamp) =>
    new RegExp(String.raw`${timestamp}\s*\)?\s*${operator}\s|${operator}\s*\(*[\w.]*${timestamp}`),
);

const isComparison = (line: string) => comparisons.some((comparison) => comparison.test(line));

test('times of an adjustable clock are compared only in the listed files, each with its reason', async () => {
  const root = join(import.meta.dirname, '..', '..');
  const found = new Set<string>();
  for (const part of ['server', 'shared', 'worker']) {
    for (const name of await readdir(join(root, part), { recursive: true })) {
      const path = `${part}/${name}`;
      if (!/\.ts$/.test(path) || /\.test\.ts$|\/migrations\/|^server\/demo\//.test(path)) continue;
      const lines = (await readFile(join(root, path), 'utf8')).split('\n');
      if (lines.some((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && isComparison(line))) found.add(path);
    }
  }
  expect([...found].toSorted()).toEqual(Object.keys(compared).toSorted());
});
