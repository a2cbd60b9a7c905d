import { spawn } from 'node:child_process';
import type { Lifetime } from '../../shared/process/run-until-stopped.ts';
import { environmentWith } from '../env.ts';

/**
 * Starts the worker as a process of its own. It has a process group of its own too, so a Ctrl-C in the terminal
 * reaches it only through this process; when this one dies, of whatever, it is told by the end of its IPC channel.
 * When it ends by itself, so does everything.
 */
export function startWorkerProcess(main: string, settings: Record<string, string>, { fail }: Lifetime) {
  const worker = spawn(process.execPath, [main], {
    env: environmentWith(settings),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  let stopping = false;
  const ended = new Promise<void>((resolve) => {
    worker.once('error', (error) => fail(`Worker failed to start: ${error.message}`));
    worker.once('close', (code, signal) => {
      resolve();
      if (!stopping) fail(`Worker ended unexpectedly with ${signal ?? `exit code ${code}`}.`, code || 1);
    });
  });
  return {
    async stop() {
      stopping = true;
      worker.kill('SIGTERM');
      await ended;
    },
  };
}
