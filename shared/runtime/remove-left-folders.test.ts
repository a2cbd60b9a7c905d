import { mkdir, mkdtempDisposable, readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeLeftFolders } from './remove-left-folders.ts';

test('unfinished folders are removed after an hour with their content, and no others are', async () => {
  await using parent = await mkdtempDisposable(join(tmpdir(), 'left-'));
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  for (const [name, hours] of [
    ['dist', 3],
    ['dist-old', 2],
    ['dist-new', 0.5],
  ] as const) {
    await mkdir(join(parent.path, name));
    await writeFile(join(parent.path, name, 'file'), '');
    await utimes(join(parent.path, name), hoursAgo(hours), hoursAgo(hours));
  }
  await removeLeftFolders(parent.path, (name) => name.startsWith('dist-'));
  expect(await readdir(parent.path)).toEqual(['dist', 'dist-new']);
  await removeLeftFolders(join(parent.path, 'none'), () => true);
  await expect(removeLeftFolders(join(parent.path, 'dist-new', 'file'), () => true)).rejects.toThrow(
    'ENOTDIR',
  );
});
