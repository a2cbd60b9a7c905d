import { expect, test } from 'vitest';
import { runNode } from '../../test/support/process.ts';

test("a thread ends at its own memory limit, whatever the process's heap limit is", async () => {
  const program = `
    import { openThread } from './server/threads/thread-handle.ts';
    const thread = openThread('texts', 48);
    await thread.ready;
    const request = { kind: 'do', name: 'render', input: '[a](b) *c* '.repeat(200_000) };
    const failure = await thread.call(request, { cpuMs: 60_000, transfer: [] }).then(() => 'none', (error) => error.constructor.name + ': ' + error.message);
    console.log('failure: ' + failure);
    await thread.end();`;
  const { output } = await runNode(['--eval', program]);
  expect(output).toMatch(/failure: OverLimitError: .*memory/);
});
