import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { eventually, inTime } from './eventually.ts';

const checkout = path.join(import.meta.dirname, '../..');

/** Result of a process: its exit code and output. */
export interface Ended {
  exitCode: number | null;
  output: string;
}

/** Memory settings with which operators run the service, as in package.json. */
export const memorySettings = {
  NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=1024',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
};

/**
 * Starts Node.js in the checkout, in its own process group as in a terminal, without the environment of the test run.
 * It is killed after the test.
 */
export function startNode(args: string[], environment: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const { NODE_OPTIONS = '', ...others } = environment;
  const env = {
    ...{ PATH, HOME, ...memorySettings, NODE_COMPILE_CACHE: 'node_modules/.cache/node', ...others },
    NODE_OPTIONS: `${memorySettings.NODE_OPTIONS} ${NODE_OPTIONS}`,
  };
  const child = spawn(process.execPath, args, {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let isClosed = false;
  const closed = once(child, 'close').finally(() => {
    isClosed = true;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ended = async (): Promise<Ended> => {
    await closed;
    return { exitCode: child.exitCode, output };
  };
  return {
    pid: child.pid,
    get output() {
      return output;
    },
    /** Resolves with the match of `pattern` in the output. Throws if the process ends without it. */
    says: (pattern: RegExp) =>
      eventually(() => {
        const found = pattern.exec(output);
        if (!found && hasEnded())
          throw new Error(`the process ended without output that matches ${pattern}:\n${output}`);
        return found;
      }),
    ended,
    hasEnded,
    /** Closes the output, as when the reader of a pipe ends. */
    stopReading() {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    },
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** Sends a signal to the whole process group, as Ctrl-C in a terminal does. */
    signalGroup: (name: NodeJS.Signals) => void process.kill(-Number(child.pid), name),
    async [Symbol.asyncDispose]() {
      // The whole group is killed, because children and stopped processes keep the output open.
      if (!isClosed) signal([-Number(child.pid)], 'SIGKILL');
      await inTime(`node ${args.join(' ')}`, closed);
    },
  };
}

export type NodeProcess = ReturnType<typeof startNode>;

/** Runs Node.js and waits for its end. */
export async function runNode(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  await using running = startNode(args, environment);
  return await running.ended();
}

/** Ports below those of outgoing connections, which could take a port before the test listens. */
const ports = { first: 20_000, last: 32_767 };

/** Returns a free port of 127.0.0.1. It is not returned again while this process lives. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last);
    if (!(await reserve(port))) continue;
    const probe = createServer();
    const isFree = once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await isFree)) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/**
 * Reserves a TCP port for this process by binding the UDP port with the same number. All processes of the machine see
 * that, and no test uses UDP.
 */
async function reserve(port: number): Promise<boolean> {
  const sign = createSocket('udp4').unref();
  sign.bind(port, '127.0.0.1');
  return await once(sign, 'listening').then(
    () => true,
    () => false,
  );
}

/** Returns the IDs of a Linux process and its children. */
export async function familyOf(parent: number | null): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const));
  return parents.flatMap(([pid, own]) => (pid === parent || own === parent ? [pid] : []));
}

export async function parentOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const parent = /^PPid:\s*(\d+)$/m.exec(status)?.[1];
  return parent === undefined ? null : Number(parent);
}

/**
 * Stops a process and its children. The parent stops first, so that it starts no more. Resolves with a function that
 * continues them.
 */
export async function freezeFamily(parent: number): Promise<() => void> {
  process.kill(parent, 'SIGSTOP');
  const family = await familyOf(parent);
  signal(family, 'SIGSTOP');
  return () => signal(family, 'SIGCONT');
}

/** True if a process of this machine has not ended. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Processes of other users cannot be signaled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Sends a signal to processes. Those that have ended are skipped. */
export function signal(pids: readonly number[], name: NodeJS.Signals) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
