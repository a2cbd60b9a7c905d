import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { connectionOwner } from '../../shared/selling/connection.ts';
import { findDue } from '../../worker/jobs/find-due.ts';
import { createPaymentSync } from '../../worker/payments/payments.ts';
import { eventually } from '../support/eventually.ts';
import { type StripeSite, startConnectedSite } from '../support/selling-site.ts';
import { recordPlans } from '../support/statements/plans.ts';
import { recordStatements } from '../support/statements/record.ts';
import { goOver } from '../support/statistics.ts';

const isLong = process.env.FAULTS === 'long';
const sites = 2_000;
/** Sites whose passes are awaited, and those that one sweep of the worker returns. */
const passes = isLong ? sites : 300;
const maxOfSweep = 100;
const maxConcurrent = 8;
/** Statements of a pass that finds nothing new. */
const statementsOfPass = 13;

/** Connects as many sites as `sites` to the account of a site, each with a pass that is due. */
async function connectMany({ deps, account }: StripeSite) {
  const ids = Array.from({ length: sites - 1 }, (_, at) => `site-${at}`);
  const sealed = ids.map((id) => deps.secrets.seal(account.key, connectionOwner(id)));
  const em = deps.database.em.fork();
  const now = deps.clock.now();
  await em.execute('update payment_connections set due_at = ?, listed_at = ?, cursor = ?', [now, now, now]);
  await sql`
    insert into payment_connections (site_id, id, account_name, livemode, key_sealed, automatic_tax, promotion_codes, public_url,
      lease_fence, state, created, updated, due_at, listed_at, cursor)
    select other.id, other.id, '', livemode, other.sealed, false, false, public_url, 0, 'active', created, updated, due_at, listed_at, cursor
      from payment_connections, unnest(${ids}::text[], ${sealed}::text[]) other (id, sealed)`.execute(
    em.getKysely(),
  );
}

const sweep = ({ deps }: StripeSite) => findDue({ ...deps, ...deps.config }, 60_000);

test(`of ${sites} connected sites whose passes are due, a worker syncs ${maxConcurrent} at a time, with a fixed number of statements and one call each`, async () => {
  let statements = 0;
  using _ = recordStatements(() => void statements++);
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  await connectMany(site);
  const { stripe, deps } = site;
  const sync = createPaymentSync({ ...deps, ...deps.config, logger: pino({ level: 'silent' }) });
  let underWay = 0;
  let highest = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  stripe.onCall(async (_, timestamp) => {
    underWay += timestamp === 'before' ? 1 : -1;
    highest = Math.max(highest, underWay);
    if (timestamp === 'before') await released;
  });
  const before = stripe.calls.length;
  // While calls wait, later sweeps start no more passes.
  for (let time = 0; time < 5; time++) {
    const due = await sweep(site);
    expect(due.payments).toHaveLength(maxOfSweep);
    sync.wake(due.payments);
    await eventually(() => underWay === maxConcurrent);
  }
  const leases = async () => {
    const found = await deps.database.em
      .fork()
      .execute<{ leased: number }[]>(
        'select count(lease_until)::int as leased from payment_connections where lease_until is not null',
      );
    return found[0]?.leased;
  };
  expect([stripe.calls.length - before, await leases()]).toEqual([maxConcurrent, maxConcurrent]);

  release();
  statements = 0;
  let sweeps = 0;
  const done = () => stripe.calls.length - before;
  while (done() < passes) {
    const waiting = Math.min(passes, done() + maxOfSweep - maxConcurrent);
    sync.wake((await sweep(site)).payments);
    sweeps += 1;
    await eventually(() => done() >= waiting);
  }
  await sync.stop();
  expect(highest).toBe(maxConcurrent);
  const called = stripe.calls.slice(before);
  expect(new Set(called.map(({ path }) => path))).toEqual(new Set(['/v1/events']));
  expect((statements - sweeps) / called.length).toBeLessThanOrEqual(statementsOfPass);
  if (isLong) expect((await sweep(site)).payments).toEqual([]);
});

test(`a sweep over ${sites} connected sites reads the connections that it returns, and none if no pass is due`, async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  await connectMany(site);
  using plans = await recordPlans(site.databaseUrl);
  /** Connections that a sweep returns, and those that it reads. */
  const read = async () => {
    let returned = 0;
    const executed = await plans.of(async () => (returned = (await sweep(site)).payments.length));
    const nodes = executed
      .flatMap((each) => each.nodes)
      .filter((node) => /payment_connections/.test(node['Relation Name'] ?? node['Index Name'] ?? ''));
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    const rows = nodes.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    return { returned, read: Math.max(...rows) };
  };
  const setDue = async (due_at: Date) => {
    await site.deps.database.em.fork().execute('update payment_connections set due_at = ?', [due_at]);
    await goOver(site, 'payment_connections', { statistics: true });
  };
  await setDue(site.clock.now());
  expect(await read()).toEqual({ returned: maxOfSweep, read: maxOfSweep });
  await setDue(site.clock.inMinutes(15));
  expect(await read()).toEqual({ returned: 0, read: 0 });
});
