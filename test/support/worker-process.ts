import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { memorySettings } from './process.ts';

const checkout = path.join(import.meta.dirname, '../..');

/** Starts the worker as a separate process, as operators do. Resolves when it delivers. */
export async function startWorkerProcess(environment: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const worker = spawn(process.execPath, ['worker/main.ts'], {
    cwd: checkout,
    env: {
      PATH,
      HOME,
      ...memorySettings,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: 'node_modules/.cache/node',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const output of [worker.stdout, worker.stderr]) {
    createInterface({ input: output }).on('line', (line) => lines.push(line));
  }
  const ended = once(worker, 'exit');
  const hasEnded = () => worker.exitCode !== null || worker.signalCode !== null;
  const signal = async (name: NodeJS.Signals) => {
    if (!hasEnded()) worker.kill(name);
    await ended;
  };
  await eventually(() => {
    if (hasEnded()) throw new Error(`the worker ended before it was ready:\n${lines.join('\n')}`);
    return lines.some((line) => line.includes('worker is delivering'));
  }).catch(async (error: unknown) => {
    await signal('SIGKILL');
    throw error;
  });
  return {
    /** Log of the worker, by line. */
    lines,
    /** Kills it without warning. */
    kill: () => signal('SIGKILL'),
    /** Asks it to stop and returns its exit code. */
    async stop() {
      await signal('SIGTERM');
      return worker.exitCode;
    },
    /** Stops the process until `thaw`. */
    freeze: () => void worker.kill('SIGSTOP'),
    thaw: () => void worker.kill('SIGCONT'),
    /** Stops the process for this time, in milliseconds. `meanwhile` is called first. */
    async freezeFor(ms: number, meanwhile: () => void = () => {}) {
      worker.kill('SIGSTOP');
      meanwhile();
      await delay(ms);
      worker.kill('SIGCONT');
    },
    [Symbol.asyncDispose]: () => signal('SIGKILL'),
  };
}

export type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;
