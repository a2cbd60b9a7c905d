import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { quantile } from '../../bench/statistics.ts';
import type { Campaign } from './campaign.ts';
import type { Arrival } from './receiver.ts';
import { leaseMs, type Size } from './size.ts';

/** What a campaign measured, none of which decides whether it passes: the machine is not its own. */
export function figuresOf(campaign: Campaign, size: Size, seed: number) {
  const { struck, written, notes, ledger, owner, subscriptions, repeatedCalls, times } = campaign;
  const all = Object.values(subscriptions);
  const recoveries = recoveriesMs(campaign, size);
  const late = latenessMs(campaign, size);
  return {
    seed,
    seconds: seconds(times.allMs),
    'seconds of writing and faults': seconds(times.writtenMs),
    'load average': loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
    events: written.accepted.length,
    'writes rolled back, refused or broken off': [...written.denied.values()].reduce((sum, n) => sum + n, 0),
    'calls repeated': repeatedCalls,
    deliveries: ledger.length,
    'requests to receivers': all.reduce((sum, { receiver }) => sum + receiver.arrivals.length, 0),
    'deliveries under way at a fault': new Set(notes.map(({ id }) => id)).size,
    'secrets rotated': all.reduce((sum, { receiver }) => sum + receiver.secrets.rotations(), 0),
    replays: owner.replays.length,
    'attempts asked for by hand': all.reduce((sum, { id }) => sum + owner.asked(id), 0),
    'times that the dead receiver was switched off': campaign.deaths,
    ...Object.fromEntries(struck),
    'attempts of killed workers': recoveries.length,
    'recovery of these, p50 ms': quantile(recoveries, 0.5),
    'recovery of these, p99 ms': quantile(recoveries, 0.99),
    'retries not touched by faults': late.length,
    'their lateness, p50 ms': quantile(late, 0.5),
    'their lateness, p99 ms': quantile(late, 0.99),
  };
}

const seconds = (ms: number) => Math.round(ms / 1_000);

/**
 * From the kill of a worker to the begin of the next attempt of what it had under way, by the database's clock: of what was
 * not asked for by hand, on its way to the receiver that keeps up. Behind others that are due for longer it would wait for
 * its turn.
 */
function recoveriesMs({ notes, attempts, ledger, subscriptions }: Campaign, size: Size): number[] {
  const steady = new Set(
    ledger.flatMap(({ id, subscription, manual }) =>
      subscription === subscriptions.steady.id && manual === 0 ? [id] : [],
    ),
  );
  const started = new Map(attempts.map(({ id, attempt, startedMs }) => [`${id}/${attempt}`, startedMs]));
  const claimed = new Map(
    notes.map(({ id, attempt, leaseUntilMs }) => [`${id}/${attempt}`, leaseUntilMs - leaseMs(size)]),
  );
  return notes.flatMap(({ fault, id, attempt, atMs, leaseUntilMs }) => {
    const isLost = leaseUntilMs > atMs && !started.has(`${id}/${attempt}`);
    if (fault !== 'kill -9 of a worker' || !steady.has(id) || !isLost) return [];
    const next = `${id}/${attempt + 1}`;
    const tookMs = (started.get(next) ?? claimed.get(next) ?? Number.NaN) - atMs;
    return tookMs > 0 ? [tookMs] : [];
  });
}

/** From the end of a retry's delay to its arrival, where nothing but a status was in the way. */
function latenessMs({ subscriptions, ledger, notes }: Campaign, { retrySeconds }: Size): number[] {
  const disturbed = new Set([
    ...notes.map(({ id }) => id),
    ...ledger.flatMap(({ id, manual }) => (manual > 0 ? [id] : [])),
  ]);
  const arrivals = Map.groupBy(subscriptions.moody.receiver.arrivals, ({ delivery }) => delivery);
  return [...arrivals].flatMap(([delivery, own]) =>
    disturbed.has(delivery)
      ? []
      : own.slice(1).flatMap((arrival, at) => late(own[at], arrival, retrySeconds[at])),
  );
}

function late(before: Arrival | undefined, after: Arrival, delaySeconds: number | undefined): number[] {
  const isAnswered = before?.answer === 'refuse' || before?.answer === 'redirect';
  if (!isAnswered || delaySeconds === undefined) return [];
  return [after.atMs - before.atMs - delaySeconds * 1_000];
}

/** Prints the figures, and keeps them in a file. */
export async function publish(name: string, figures: ReturnType<typeof figuresOf>) {
  const folder = path.resolve(import.meta.dirname, '../../../.data');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`);
  for (const [what, value] of Object.entries(figures)) console.log(`${what.padEnd(50)} ${value}`);
}
