import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const checkout = path.join(import.meta.dirname, '../..');
const manifests = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'client/sdk/package.json'];
const read = [...manifests, 'client/studio/package.json', 'server/start/install.mjs'];
const megabyte = 2 ** 20;

test('a start installs only what runs the service: at most 350 MB, Node included', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'install-'));
  try {
    for (const file of read) await cp(path.join(checkout, file), path.join(folder, file));
    const installing = spawn(process.execPath, ['server/start/install.mjs'], {
      cwd: folder,
      stdio: 'ignore',
    });
    expect(await once(installing, 'exit')).toEqual([0, null]);

    const installed = path.join(folder, 'node_modules');
    expect(await bytesBelow(installed)).toBeLessThan(350 * megabyte);
    expect(await readdir(path.join(installed, '.bin'))).toContain('node');
    for (const tool of ['vitest', 'typescript', 'vite', '@biomejs']) {
      expect((await readdir(path.join(installed, '.pnpm'))).join('\n')).not.toMatch(
        new RegExp(`^${tool}[@+]`, 'm'),
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** What `du` tells: whole blocks, a file with several names once. */
async function bytesBelow(folder: string): Promise<number> {
  const seen = new Set<number>();
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const { ino, blocks } = await lstat(path.join(entry.parentPath, entry.name));
    if (!seen.has(ino)) bytes += blocks * 512;
    seen.add(ino);
  }
  return bytes;
}
