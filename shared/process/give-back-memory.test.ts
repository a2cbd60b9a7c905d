import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sparing, unwatched, type Watch, watchWithin } from './give-back-memory.ts';
import { memoryFlags } from './memory-settings.ts';

const run = promisify(execFile);

const megabyte = 1024 * 1024;

/** What becomes of a process that holds these megabytes, a second apart. */
function watched(...held: number[]): Watch[] {
  const seen: Watch[] = [];
  let watch = unwatched(sparing);
  for (const [at, megabytes] of held.entries()) {
    watch = watchWithin(sparing)(watch, megabytes * megabyte, at * 1_000);
    seen.push(watch);
  }
  return seen;
}

const givesBack = (...held: number[]) => watched(...held).map(({ until }) => until !== null);

test('a process gives back when it holds much, until it holds little', () => {
  expect(givesBack(180, 219, 221, 260, 210, 199, 210)).toEqual([
    false,
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('what is still held after fifteen seconds is needed: the process is as fast as ever until it has grown by a tenth', () => {
  const aWhile = Array.from({ length: 15 }, () => 300);

  expect(givesBack(...aWhile)).toEqual(aWhile.map(() => true));
  expect(givesBack(...aWhile, 300, 329, 331).slice(-3)).toEqual([false, false, true]);
});

test('a process that got smaller gives back earlier again', () => {
  const aWhile = Array.from({ length: 15 }, () => 300);

  expect(givesBack(...aWhile, 300, 210, 225, 232).slice(-3)).toEqual([false, false, true]);
});

/** Uses much memory for a moment, then little, and is busy until it has returned enough. The test's own time bounds it. */
const busyProcess = `
  const { giveBackMemory } = await import('${new URL('./give-back-memory.ts', import.meta.url)}');
  giveBackMemory();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const held = () => process.memoryUsage.rss() / ${megabyte};
  const objects = (count) => Array.from({ length: count }, (_, at) => ({ at, name: 'object ' + at }));
  let kept = [];
  while (held() < 400) kept.push(objects(10_000));
  kept = [];
  while (held() > 180) {
    for (let time = 0; time < 50; time++) kept[time] = objects(1_000);
    await turn();
  }
  console.log('little');
`;

test.skipIf(process.platform !== 'linux')(
  'what a process took for a moment it gives back, however busy it is',
  async () => {
    const program = [...memoryFlags, '--input-type=module', '--eval', busyProcess];
    const { stdout } = await run(process.execPath, program, { timeout: 110_000 });

    expect(stdout).toBe('little\n');
  },
);

/** Runs out of file descriptors, and says whether it has lived on for a while. */
const openProcess = `
  const { openSync } = await import('node:fs');
  const { giveBackMemory } = await import('${new URL('./give-back-memory.ts', import.meta.url)}');
  giveBackMemory();
  try { for (;;) openSync('/dev/null', 'r'); } catch (error) { if (error.code !== 'EMFILE') throw error; }
  setTimeout(() => { console.log('lives'); process.exit(); }, 1_500);
`;

test.skipIf(process.platform !== 'linux')('a process without a file descriptor left lives on', async () => {
  const limited = `ulimit -n 64; exec "$0" --input-type=module --eval "$1"`;
  const { stdout } = await run('/bin/sh', ['-c', limited, process.execPath, openProcess]);

  expect(stdout).toBe('lives\n');
});
