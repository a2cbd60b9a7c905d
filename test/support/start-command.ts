import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { makeDatabaseFolder } from './database-folder.ts';
import { findFreePort, startNode } from './process.ts';

const program = fileURLToPath(new URL('./start-program.ts', import.meta.url));
const worker = path.join(import.meta.dirname, '../../worker/main.ts');

/** Creates a data folder for a start, with a space in its name. It is removed after the test. */
export async function makeDataDir(): Promise<string> {
  const folder = await makeDatabaseFolder('start test ');
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Output of `pnpm start` after everything runs. */
export const ready = /Press Ctrl-C to stop/;

interface StartOptions {
  dataDir: string;
  /** Worker to use instead of the real one. */
  workerMain?: string;
  environment?: Record<string, string>;
}

/** Runs `pnpm start` with a data folder of the test. */
export async function startEverything({ dataDir, workerMain = worker, environment = {} }: StartOptions) {
  const port = await findFreePort();
  const running = startNode([program], {
    PLACES: JSON.stringify({ dataDir, workerMain }),
    PORT: String(port),
    RATE_LIMIT_NORMAL: 'off',
    ...environment,
  });
  return Object.assign(running, { baseUrl: `http://localhost:${port}` });
}
