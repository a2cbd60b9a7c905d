import { expect, test } from 'vitest';
import { testSecretKey } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startOwnDatabase } from '../support/own-database.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { visitorClient } from '../support/rpc.ts';
import { enableWebhooks, expectRowsOfLedger } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';
import type { Faults } from '../support/stripe/index.ts';
import { timeLimits } from '../support/time-limits.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const isLong = process.env.FAULTS === 'long';
const seed = Number(process.env.SEED ?? (isLong ? newSeed() : 5));

/** Behaviors of webhooks. Each applies to a part of the payments. */
const modes: [name: string, faults: Partial<Faults>][] = [
  ['doubled', { duplicate: 1 }],
  ['shuffled', { shuffle: true }],
  ['30 % lost', { drop: 0.3 }],
  ['all late', { delay: true }],
  ['none', { drop: 1 }],
];

const paymentsOfMode = isLong ? 400 : 4;
/** Payments that may be unseen when the next process is killed. */
const maxBehind = 8;
const victims = ['worker', 'server', 'stand-in', 'database'] as const;
/** After the rows have followed, a process is killed at one of this many calls to Stripe, before it is done or before it is answered. */
const callsOfKill = isLong ? 25 : 8;
/** Number of groups of buyers for each kill. */
const groupsOfKill = isLong ? 5 : 2;

test(`each paid checkout makes one purchase and one event, whatever happens to webhooks, while server, worker, Stripe and database are killed (seed ${seed})`, {
  timeout: isLong ? 7_200_000 : timeLimits.test,
}, async () => {
  const random = createRandom(seed);
  await using postgres = await startOwnDatabase();
  await using site = await startConnectedSite({
    livemode: true,
    serverUrl: postgres.url,
    config: { countsTest: false },
  });
  const { stripe } = site;
  const { id: offer_id } = await site.sellPost();
  site.clock.catchUp();
  const environment = {
    ...withoutLimits,
    PUBLIC_URL: site.deps.config.publicUrl.origin,
    STRIPE_API_BASE: stripe.url.origin,
    SECRET_KEY: testSecretKey,
  };
  await using stack = new AsyncDisposableStack();
  const startServer = async () => {
    const started = stack.use(await startServerProcess(site.databaseUrl, environment));
    stripe.webhooks.sendTo(new URL(started.baseUrl));
    return started;
  };
  const startWorker = async () =>
    stack.use(
      await startWorkerProcess({ ...environment, DATABASE_URL: site.databaseUrl, LOG_LEVEL: 'info' }),
    );
  let server = await startServer();
  await enableWebhooks(site, server.baseUrl);
  let worker = await startWorker();
  const run = <Row>(text: string) => site.deps.database.em.fork().execute<Row[]>(text);
  /** Ends leases of killed workers, as their time does. */
  const endLeases = () => run('update payment_connections set lease_until = null, due_at = now()');

  const count = async (text: string) => (await run<{ count: number }>(text))[0]?.count;

  const kills: string[] = [];
  let calls = 0;
  let next = Number.POSITIVE_INFINITY;
  /** Restart of the killed process, which the buyers wait for. */
  let restarted: Promise<void> = Promise.resolve();
  async function strike(victim: (typeof victims)[number], timestamp: string) {
    kills.push(`${victim} ${timestamp}`);
    if (victim === 'stand-in') {
      await stripe.kill();
      await stripe.restart();
    } else if (victim === 'database') {
      await postgres.crash();
      await eventually(() =>
        endLeases().then(
          () => true,
          () => false,
        ),
      );
    } else if (victim === 'server') {
      await server[Symbol.asyncDispose]();
      server = await startServer();
    } else {
      await worker.kill();
      await endLeases();
      worker = await startWorker();
    }
  }
  stripe.onCall(async (_, timestamp) => {
    calls += 1;
    if (calls < next) return;
    next = Number.POSITIVE_INFINITY;
    const killed = strike(victims[kills.length % victims.length] ?? 'worker', timestamp);
    restarted = killed;
    await killed;
  });

  /** True if the last kill is over, and most payments are purchases. */
  async function hasFollowed() {
    await restarted;
    const purchases = await count('select count(*)::int from purchases');
    return Number(purchases) >= site.ledger().paid.length - maxBehind;
  }

  async function buy(email: string) {
    const url = await eventually(async () => {
      await restarted;
      site.clock.catchUp();
      const begun = visitorClient(server.baseUrl).site.checkout.begin.mutate({ offer_id, email });
      return begun.then(
        (one) => one.url,
        () => null,
      );
    });
    const session = site.ledger().sessions.find((one) => one.url === url);
    if (session) await stripe.pay(session.id);
  }

  for (const [name, faults] of modes) {
    Object.assign(stripe.recover(), faults);
    const emails = Array.from(
      { length: paymentsOfMode },
      (_, at) => `${name.replace(/\W/g, '')}${at}@example.com`,
    );
    for (let group = 0; group * 3 < emails.length; group++) {
      if (group % groupsOfKill === 0 && next === Number.POSITIVE_INFINITY) {
        await eventually(hasFollowed);
        next = calls + Math.ceil(callsOfKill * random());
      }
      await Promise.all(emails.slice(group * 3, group * 3 + 3).map(buy));
      await run('update payment_connections set due_at = now()').catch(() => {});
    }
    await restarted;
    site.clock.catchUp();
    if (faults.delay || faults.shuffle) await stripe.webhooks.sendHeld();
  }
  next = Number.POSITIVE_INFINITY;
  await restarted;
  await endLeases();
  const total = modes.length * paymentsOfMode;
  await eventually(async () => (await count('select count(*)::int from purchases')) === total);
  expect(site.ledger().paid).toHaveLength(total);
  await expectRowsOfLedger(site);
  const events = await run<{ purchase: string }>(
    `select body::json->'data'->>'id' as purchase from events where name = 'purchase.completed'`,
  );
  expect(new Set(events.map(({ purchase }) => purchase)).size).toBe(total);
  expect(events).toHaveLength(total);
  if (isLong) console.log(`${total} payments, ${kills.length} kills`);
  expect(new Set(kills.map((kill) => kill.split(' ')[0]))).toEqual(new Set(victims));
  expect(stripe.calls.filter(({ path, method }) => method === 'POST' && path.includes('refunds'))).toEqual(
    [],
  );
});
