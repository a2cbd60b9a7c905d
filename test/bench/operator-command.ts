import { once } from 'node:events';
import { memorySettings } from '../support/process.ts';
import { peakMegabytes, startProcess } from './processes.ts';

const ops = new URL('../../server/ops.ts', import.meta.url);

/** Runs an operator's command, and measures its duration and peak memory. Throws if it fails. */
export async function runOperator(env: Record<string, string>, command: string[]) {
  const startedAt = performance.now();
  await using started = startProcess(ops, { ...memorySettings, ...env }, 'ignore', command);
  const ended = once(started.child, 'exit');
  const peaks: number[] = [];
  const timer = setInterval(async () => peaks.push((await peakMegabytes(started.pid)) ?? 0), 50);
  const [code] = await ended;
  clearInterval(timer);
  const megabytes = peaks.length > 0 ? Math.max(...peaks) : null;
  if (code !== 0) throw new Error(`ops ${command.join(' ')} failed`);
  return { seconds: (performance.now() - startedAt) / 1_000, megabytes };
}
