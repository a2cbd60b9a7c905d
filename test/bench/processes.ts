import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Clock ticks per second in /proc/<pid>/stat, always 100 on Linux. */
const ticksPerSecond = 100;

/** Folder in which the scripts of package.json let Node store compiled code. */
const compileCache = path.resolve(import.meta.dirname, '../../node_modules/.cache/node');

/** Starts a program with these settings and discards its log. With `ipc` it can send messages. Ends with `await using`. */
export function startProcess(
  file: URL,
  env: Record<string, string>,
  channel: 'ipc' | 'ignore' = 'ipc',
  args: string[] = [],
) {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'ignore', 'inherit', channel],
  });
  return {
    child,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: () => endProcess(child),
  };
}

/** Returns the milliseconds from the call to the first 200 of a server's `/readyz`. Throws if its process ends before. */
export async function untilReady(child: ChildProcess, url: string): Promise<number> {
  const startedAt = performance.now();
  while (child.exitCode === null && performance.now() - startedAt < 120_000) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return performance.now() - startedAt;
    await delay(5);
  }
  throw new Error(`${child.spawnargs.join(' ')} did not get ready`);
}

/** Returns the next message of a process. Throws if it ends first. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const ended = once(child, 'exit', settled).then(() => {
    throw new Error(`${child.spawnargs.join(' ')} ended`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', settled), ended]);
    return message;
  } finally {
    ended.catch(() => {});
    settled.abort();
  }
}

async function endProcess(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(timer);
}

/** Returns the CPU time of a process; null without /proc. */
export async function cpuSeconds(pid: number): Promise<number | null> {
  const times = await readTimes(pid);
  return times?.own ?? null;
}

/** Returns the CPU time of a process and its children, for example those of PostgreSQL; null without /proc. */
export async function familyCpuSeconds(parent: number): Promise<number | null> {
  const pids = await readdir('/proc').catch(() => []);
  const all = await Promise.all(
    pids
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => ({ pid: Number(pid), times: await readTimes(Number(pid)) })),
  );
  const family = all.flatMap(({ pid, times }) =>
    times && (pid === parent || times.parent === parent)
      ? [times.own + (pid === parent ? times.ended : 0)]
      : [],
  );
  return family.length === 0 ? null : family.reduce((sum, seconds) => sum + seconds, 0);
}

/** Returns the parent of a process; null without /proc. */
export const parentOf = async (pid: number) => (await readTimes(pid))?.parent ?? null;

/** Reads the parent of a process, its own CPU seconds, and those of its ended children. */
async function readTimes(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // The name may contain any characters up to the last bracket; field 3 of proc(5) follows it.
  const fields = stat
    ?.slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (!fields) return null;
  const [parent = 0, own = 0, system = 0, ended = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (at) => fields[at],
  );
  return { parent, own: (own + system) / ticksPerSecond, ended: (ended + endedSystem) / ticksPerSecond };
}

/** Returns the resident memory of a process; null without /proc. */
export const residentMegabytes = (pid: number) => megabytesOf(pid, /^VmRSS:\s*(\d+) kB$/m);

/** Returns the peak resident memory of a process; null without /proc. */
export const peakMegabytes = (pid: number) => megabytesOf(pid, /^VmHWM:\s*(\d+) kB$/m);

async function megabytesOf(pid: number, line: RegExp): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  const kilobytes = line.exec(status ?? '')?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
}
