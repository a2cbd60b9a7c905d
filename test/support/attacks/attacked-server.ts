import { readFile, writeFile } from 'node:fs/promises';
import type { StoreDeps } from '../../../server/api/deps.ts';
import { eventually } from '../eventually.ts';
import { startServerProcess } from '../server-process.ts';
import { type Attack, attackFrom, createOffender, type Offender } from './attacker.ts';
import { fillSite } from './full-site.ts';

/** Measurements of a server during an attack. */
export interface AttackResult {
  /** Maximum CPU time between two ticks of its event loop, in milliseconds. */
  turnMs: number;
  /** Maximum memory, in MB. */
  megabytes: number;
  /** Increase of the memory to its maximum, in MB. */
  growth: number;
  /** Number of answers to the attack, by status or error. */
  answered: Record<string, number>;
}

interface AttackOptions {
  deps: StoreDeps;
  /** Maximum duration of the attack, in milliseconds. */
  maxMs: number;
  /** True if its requests are repeated for that time. */
  isRepeated?: boolean;
  /** Sends the requests of other users of the server until the attack is over. */
  read(over: AbortSignal): Promise<void>;
}

/** Starts a server in its own process, without rate limits, that reports how long its event loop was blocked. */
export async function startAttackedServer(databaseUrl: string, environment: Record<string, string> = {}) {
  const server = await startServerProcess(databaseUrl, {
    NODE_OPTIONS: `--import ${new URL('./measure-ticks.ts', import.meta.url)}`,
    RATE_LIMIT_STORE: 'memory',
    ...noLimits,
    ...environment,
  });
  const { baseUrl, pid = 0 } = server;
  let requested = 0;
  let full: Promise<Offender> | undefined;
  const turns = async () => {
    requested += 1;
    server.signal('SIGUSR2');
    const [, ms] = await server.says(new RegExp(`^turns ${requested}: ([\\d.]+) ms$`, 'm'));
    return Number(ms);
  };
  return Object.assign(server, {
    /** Resolves when the server has returned memory of earlier attacks and has at most this much, in MB. */
    async shrinkTo(megabytes: number) {
      await eventually(async () => (await readMegabytes(pid, 'VmRSS')) <= megabytes);
    },
    /** Attacks the server from a site while others read, and returns the measurements. */
    async suffer(
      attack: Attack,
      { deps, maxMs, isRepeated = false, read }: AttackOptions,
    ): Promise<AttackResult> {
      if (attack.isFull) full ??= createFull(deps);
      const offender = await (attack.isFull && full ? full : createOffender(deps));
      await attack.prepare?.(offender);
      const over = new AbortController();
      const answered: Record<string, number> = {};
      const count = (what: number | string) => {
        answered[what] = (answered[what] ?? 0) + 1;
      };
      await using site = attackFrom(offender, { baseUrl, over: over.signal, answered: count });
      await turns();
      await writeFile(`/proc/${pid}/clear_refs`, '5');
      const before = await readMegabytes(pid, 'VmRSS');
      const send = async (at: number) => {
        do await attack.send(site, at).catch((error: Error) => count(error.message));
        while (isRepeated && !over.signal.aborted);
      };
      const timer = setTimeout(() => over.abort(new Error('still running at the time limit')), maxMs);
      const sending = Array.from({ length: attack.atOnce ?? 4 }, (_, at) => send(at));
      void Promise.all(sending).then(() => over.abort());
      await read(over.signal);
      await Promise.all(sending);
      clearTimeout(timer);
      const megabytes = await readMegabytes(pid, 'VmHWM');
      return { turnMs: await turns(), megabytes, growth: megabytes - before, answered };
    },
  });
}

async function createFull(deps: StoreDeps): Promise<Offender> {
  const offender = await createOffender(deps);
  await fillSite(offender);
  return offender;
}

const noLimits = Object.fromEntries(
  ['NORMAL', 'MODERATE', 'STRICT', 'STUDIO', 'SITE', 'MCP', 'MCP_WRITES', 'POLL'].map((name) => [
    `RATE_LIMIT_${name}`,
    'off',
  ]),
);

/** Returns the memory of a process in MB: now (`VmRSS`), or the maximum since `clear_refs` was written (`VmHWM`). */
async function readMegabytes(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}
