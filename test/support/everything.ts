import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { makeDatabaseFolder } from './database-folder.ts';
import { findFreePort, startNode } from './process.ts';

const program = fileURLToPath(new URL('./start-program.ts', import.meta.url));
const worker = path.join(import.meta.dirname, '../../worker/main.ts');

/** A folder for a start to keep its data in, with a blank in its name; gone after the test. */
export async function makeDataDir(): Promise<string> {
  const folder = await makeDatabaseFolder('start test ');
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** What a start says once everything runs. */
export const ready = /Press Ctrl-C to stop/;

interface StartOptions {
  dataDir: string;
  /** Another worker than the real one. */
  workerMain?: string;
  environment?: Record<string, string>;
}

/** `pnpm start` over a data folder of the test's. */
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
