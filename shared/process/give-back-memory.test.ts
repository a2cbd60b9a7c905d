import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

const megabyte = 1024 * 1024;

/** Holds much for a moment, then little, and is busy all the while, until it holds less than it may or its time is over. */
const busyProcess = `
  const { giveBackMemory } = await import('${new URL('./give-back-memory.ts', import.meta.url)}');
  giveBackMemory();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const held = () => process.memoryUsage.rss() / ${megabyte};
  const objects = (count) => Array.from({ length: count }, (_, at) => ({ at, name: 'object ' + at }));
  let kept = [];
  while (held() < 400) kept.push(objects(10_000));
  const most = held();
  kept = [];
  const end = performance.now() + 15_000;
  while (held() > 180 && performance.now() < end) {
    for (let time = 0; time < 50; time++) kept[time] = objects(1_000);
    await turn();
  }
  console.log(JSON.stringify({ most, held: held() }));
`;

test('what a process took for a moment it gives back, however busy it is', async () => {
  const flags = ['--max-semi-space-size=8', '--heap-growing-percent=20', '--input-type=module'];
  const { stdout } = await run(process.execPath, [...flags, '--eval', busyProcess]);

  const { most, held } = JSON.parse(stdout);
  expect(most).toBeGreaterThan(400);
  expect(held).toBeLessThan(180);
});
