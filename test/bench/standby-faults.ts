import type { ReplicatedServer } from '../support/standby.ts';
import type { startProxy } from '../support/tcp-proxy.ts';
import { millis, type Row } from './report.ts';
import { quantile } from './statistics.ts';

const searches = 400;
/** What befalls the standbys does so while reads are under way. */
const strikeAt = 100;
/** How much longer reads may take than where there are no standbys. */
const mostMoreMs = 2;

export interface Surroundings {
  /** Sends a search that nobody asked for before, to a server with standbys or to one without. */
  search(name: 'helped' | 'alone'): Promise<unknown>;
  /** Changes what was read. */
  write(): Promise<unknown>;
  standbys: readonly ReplicatedServer[];
  /** On the way to them. */
  proxies: readonly Awaited<ReturnType<typeof startProxy>>[];
}

type Strike = (around: Surroundings) => unknown;

const strikes: Readonly<Record<string, Strike>> = {
  'are well': () => {},
  'replay nothing': async ({ standbys, write }) => {
    for (const standby of standbys) await standby.query('select pg_wal_replay_pause()');
    await write();
  },
  'are cut off': async ({ standbys, proxies }) => {
    for (const standby of standbys) await standby.query('select pg_wal_replay_resume()');
    for (const proxy of proxies) proxy.stall();
  },
  'refuse connections': ({ proxies }) => {
    for (const proxy of proxies) proxy.refuse();
  },
};

/** How long reads take, one after another, whatever befalls the standbys. */
export async function timesOfReads(around: Surroundings): Promise<Omit<Row, 'part'>[]> {
  const rows: Omit<Row, 'part'>[] = [];
  // Code that a process has not run yet is slow.
  for (let n = 0; n < searches; n++) await Promise.all([around.search('alone'), around.search('helped')]);
  for (const [state, strike] of Object.entries(strikes)) {
    const took: Record<'helped' | 'alone', number[]> = { helped: [], alone: [] };
    let struck: unknown;
    for (let n = 0; n < searches; n++) {
      for (const name of ['alone', 'helped'] as const) {
        const began = performance.now();
        const asked = around.search(name);
        if (n === strikeAt && name === 'helped') struck = strike(around);
        await asked;
        took[name].push(performance.now() - began);
      }
    }
    await struck;
    rows.push(rowOf(state, took));
  }
  return rows;
}

function rowOf(state: string, { helped, alone }: Record<'helped' | 'alone', number[]>): Omit<Row, 'part'> {
  const at = (share: number) => ({ ms: quantile(helped, share), aloneMs: quantile(alone, share) });
  const [p50, p95] = [at(0.5), at(0.95)];
  const told = ({ ms, aloneMs }: ReturnType<typeof at>) => `${millis(ms)} to ${millis(aloneMs)}`;
  const longestMs = Math.max(...helped);
  return {
    work: `searches one by one while both standbys ${state}: p50, and p95, to those of a server without`,
    target: `<= ${mostMoreMs} ms more`,
    result: `${told(p50)}; ${told(p95)} (longest ${millis(longestMs)} to ${millis(Math.max(...alone))})`,
    met: [p50, p95].every(({ ms, aloneMs }) => ms - aloneMs <= mostMoreMs),
    values: { p50Ms: p50.ms, p50AloneMs: p50.aloneMs, p95Ms: p95.ms, p95AloneMs: p95.aloneMs, longestMs },
  };
}
