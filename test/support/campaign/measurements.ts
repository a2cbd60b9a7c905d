import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { quantile } from '../../bench/statistics.ts';
import type { Campaign } from './campaign.ts';
import { type Arrival, isAcknowledged } from './receiver.ts';
import type { Strike } from './run-faults.ts';
import { type FaultName, leaseMs, type Size } from './size.ts';

/**
 * Returns the measurements of a campaign. They do not decide whether it passes, because other programs use the machine
 * too.
 */
export function measurementsOf(campaign: Campaign, size: Size, seed: number) {
  const { struck, written, notes, ledger, owner, subscriptions, repeatedCalls, times } = campaign;
  const all = Object.values(subscriptions);
  const recoveries = recoveriesMs(campaign, size);
  const late = latenessMs(campaign, size);
  return {
    seed,
    seconds: seconds(times.allMs),
    'seconds with writes and faults': seconds(times.writtenMs),
    'load average': loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
    events: written.accepted.length,
    'writes rolled back, refused or aborted': [...written.denied.values()].reduce((sum, n) => sum + n, 0),
    'calls repeated': repeatedCalls,
    deliveries: ledger.length,
    'requests to receivers': all.reduce((sum, { receiver }) => sum + receiver.arrivals.length, 0),
    'deliveries in progress during a fault': new Set(notes.map(({ id }) => id)).size,
    'secrets rotated': all.reduce((sum, { receiver }) => sum + receiver.secrets.rotations(), 0),
    replays: owner.replays.length,
    'attempts requested manually': all.reduce((sum, { id }) => sum + owner.asked(id), 0),
    'times that the dead receiver was disabled': campaign.deaths,
    ...countsOf(struck),
    'attempts of killed workers while the database ran': recoveries.length,
    'recovery of these, p50 ms': quantile(recoveries, 0.5),
    'recovery of these, p99 ms': quantile(recoveries, 0.99),
    'retries while the database ran': late.length,
    'delay of these, p50 ms': quantile(late, 0.5),
    'delay of these, p99 ms': quantile(late, 0.99),
  };
}

/** Counts the strikes of each fault. */
export const countsOf = (struck: readonly Strike[]) =>
  Object.fromEntries([...Map.groupBy(struck, ({ name }) => name)].map(([name, all]) => [name, all.length]));

const seconds = (ms: number) => Math.round(ms / 1_000);

/**
 * Returns the times from the kill of a worker to the next attempt of its deliveries, in milliseconds, by the database's
 * clock. Only scheduled attempts for fast receivers count, because others would wait for earlier due ones.
 */
function recoveriesMs({ notes, attempts, ledger, subscriptions, struck }: Campaign, size: Size): number[] {
  const keepUp = new Set([subscriptions.steady.id, subscriptions.fussy.id]);
  const own = new Set(
    ledger.flatMap(({ id, subscription, manual }) => (keepUp.has(subscription) && manual === 0 ? [id] : [])),
  );
  const started = new Map(attempts.map(({ id, attempt, startedMs }) => [`${id}/${attempt}`, startedMs]));
  const claimed = new Map(
    notes.map(({ id, attempt, leaseUntilMs }) => [`${id}/${attempt}`, leaseUntilMs - leaseMs(size)]),
  );
  return notes.flatMap(({ fault, id, attempt, atMs, leaseUntilMs }) => {
    const isLost = leaseUntilMs > atMs && !started.has(`${id}/${attempt}`);
    if (fault !== 'kill -9 of a worker' || !own.has(id) || !isLost) return [];
    if (!isCalm(struck, atMs, atMs + leaseMs(size) + settlingMs)) return [];
    const next = `${id}/${attempt + 1}`;
    const tookMs = (started.get(next) ?? claimed.get(next) ?? Number.NaN) - atMs;
    return tookMs > 0 ? [tookMs] : [];
  });
}

/**
 * Returns the delays between the due time of a retry and its arrival, in milliseconds, at the receiver that sometimes
 * refuses.
 */
function latenessMs({ subscriptions, ledger, notes, struck }: Campaign, { retrySeconds }: Size): number[] {
  const disturbed = new Set([
    ...notes.map(({ id }) => id),
    ...ledger.flatMap(({ id, manual }) => (manual > 0 ? [id] : [])),
  ]);
  const arrivals = Map.groupBy(subscriptions.fussy.receiver.arrivals, ({ delivery }) => delivery);
  return [...arrivals].flatMap(([delivery, own]) =>
    disturbed.has(delivery)
      ? []
      : own.slice(1).flatMap((arrival, at) => {
          const dueMs = (own[at]?.atMs ?? Number.NaN) + (retrySeconds[at] ?? Number.NaN) * 1_000;
          return isCalm(struck, dueMs, dueMs + settlingMs) ? [arrival.atMs - dueMs] : [];
        }),
  );
}

/** Faults that block both workers for their duration, because they affect the database or its rows. */
const holdingUp: ReadonlySet<FaultName> = new Set([
  'a worker frozen for longer than its lease',
  'PostgreSQL restarted',
  'network to the database stalled',
]);

/** Time after such a fault until its backlog is cleared, in milliseconds. */
const settlingMs = 2_000;

/**
 * Checks whether no such fault struck in a period or shortly before it. The kill of one worker does not count, because
 * the other one has to take over.
 */
const isCalm = (struck: readonly Strike[], fromMs: number, toMs: number) =>
  !struck.some(
    (strike) => holdingUp.has(strike.name) && strike.fromMs < toMs && strike.toMs > fromMs - settlingMs,
  );

/** Prints the measurements and writes them to a file. */
export async function publish(name: string, figures: ReturnType<typeof measurementsOf>) {
  const folder = path.resolve(import.meta.dirname, '../../../.data');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`);
  for (const [what, value] of Object.entries(figures)) console.log(`${what.padEnd(50)} ${value}`);
}

/** Delivery that arrived more often than its log explains. */
interface Unexplained {
  title: string;
  status: string;
  arrivals: string[];
  attempts: number;
  manual: number;
}

/**
 * Finds deliveries that arrived more often than their log explains, or again after an acknowledgement. Deliveries with
 * an attempt in progress during a fault are exempt, and so are manual attempts.
 *
 * On a busy machine a worker may stall by itself. It returns an attempt that got no answer in that time. That attempt
 * was sent but is not logged, so such arrivals do not count.
 */
export function unexplainedDoubles({ subscriptions, ledger, notes }: Campaign): Unexplained[] {
  const arrivals = Object.values(subscriptions).flatMap(({ receiver }) => receiver.arrivals);
  const byDelivery = Map.groupBy(arrivals, ({ delivery }) => delivery);
  const struck = new Set(notes.map(({ id }) => id));
  return ledger.flatMap(({ id, title, status, attempts, manual }) => {
    const own = byDelivery.get(id) ?? [];
    const acknowledged = own.filter(isAcknowledged).length;
    const answered = own.filter(({ answer }) => answer !== 'hang' && answer !== 'reset').length;
    const isExplained = struck.has(id) || (answered <= attempts && acknowledged <= 1 + manual);
    return isExplained ? [] : [{ title, status, arrivals: own.map(toldBy), attempts, manual }];
  });
}

const toldBy = ({ answer, atMs }: Arrival) => `${answer} at ${new Date(atMs).toISOString()}`;
