import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderSize, megabyte } from '../support/folder-size.ts';
import { runNode } from '../support/process.ts';

const checkout = path.join(import.meta.dirname, '../..');
const read = [
  ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'server/start/install.mjs'],
  ...['client', 'shared'],
];
/** Space in MB for the compile cache (flows/start) and the bundle (flows/bundle). */
const cacheMegabytes = 20 + 11;

test('a start installs only packages for the service and `pnpm listen`, with compiled code and Node at most 350 MB, and changes no file of the checkout', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'install-'));
  try {
    for (const file of read)
      await cp(path.join(checkout, file), path.join(folder, file), { recursive: true, filter: isSource });
    const sources = await filesOf(folder);
    const installing = spawn(process.execPath, ['server/start/install.mjs'], {
      cwd: folder,
      stdio: 'ignore',
    });
    expect(await once(installing, 'exit')).toEqual([0, null]);

    const installed = path.join(folder, 'node_modules');
    expect(await folderSize(installed)).toBeLessThan((350 - cacheMegabytes) * megabyte);
    expect(await readdir(path.join(installed, '.bin'))).toContain('node');
    expect(await filesOf(folder)).toEqual(sources);
    // `pnpm listen` must work with the packages that a start has installed.
    expect(await runNode([path.join(folder, 'client/sdk/bin/main.ts'), 'listen'])).toEqual({
      exitCode: 1,
      output: expect.stringContaining('An API key is needed.'),
    });
    for (const tool of ['vitest', 'typescript', 'vite', '@biomejs']) {
      expect((await readdir(path.join(installed, '.pnpm'))).join('\n')).not.toMatch(
        new RegExp(`^${tool}[@+]`, 'm'),
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const isSource = (file: string) => !/(^|\/)(node_modules|dist)$/.test(path.relative(checkout, file));

/** Lists the files of a checkout, except installed packages. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => name !== 'node_modules')
      .map((entry) => {
        const file = path.join(folder, entry.name);
        return entry.isDirectory() ? filesOf(file) : [file];
      }),
  );
  return found.flat().toSorted();
}
