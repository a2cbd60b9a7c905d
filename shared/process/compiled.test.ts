import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCompiled } from './compiled.ts';

test('a file that failed as it ran is run anew for whoever asks for it next', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'creator-content-compiled-'));
  const file = path.join(folder.path, 'once.cjs');
  const other = JSON.stringify(path.join(folder.path, 'other.cjs'));
  await writeFile(file, `(function (exports, require) { exports.begun = 1; require(${other}); exports.done = 2; })`);

  expect(() => runCompiled(file)).toThrow('other.cjs');
  await writeFile(path.join(folder.path, 'other.cjs'), '');
  expect(runCompiled(file).exports).toEqual({ begun: 1, done: 2 });
});
