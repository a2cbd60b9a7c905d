import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { codeOf, runCompiled, sumOf } from './compiled.ts';

test('a file that failed as it ran is run anew for whoever asks for it next', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'creator-content-compiled-'));
  const file = path.join(folder.path, 'once.cjs');
  const other = JSON.stringify(path.join(folder.path, 'other.cjs'));
  await writeFile(
    file,
    `(function (exports, require) { exports.begun = 1; require(${other}); exports.done = 2; })`,
  );

  expect(() => runCompiled(file)).toThrow('other.cjs');
  await writeFile(path.join(folder.path, 'other.cjs'), '');
  expect(runCompiled(file).exports).toEqual({ begun: 1, done: 2 });
});

test('compiled code of another source is left aside, also of one that is as long', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'creator-content-compiled-'));
  const file = path.join(folder.path, 'one.cjs');
  const source = (says: string) => `(function (exports) { exports.says = '${says}'; })`;
  const code = new Script(source('old')).createCachedData();
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(sumOf(Buffer.from(source('old')), code));
  await writeFile(file, source('new'));
  await writeFile(codeOf(file), Buffer.concat([sum, code]));

  expect(runCompiled(file).exports).toEqual({ says: 'new' });
});
