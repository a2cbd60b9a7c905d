import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftFolders } from '../../../shared/runtime/left-folders.ts';

const packageDir = join(import.meta.dirname, '..');
const checkout = join(packageDir, '..', '..');

/** What a build reads. */
const sources = [
  'client',
  'shared',
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'tsconfig.json',
];
const isSource = (file: string) => !/[/\\](node_modules|dist[^/\\]*)$/.test(file);

const copies = '.studio-build-';

/** Removes the copies that ended builds left. */
export const removeLeftCopies = () => removeLeftFolders(checkout, (name) => name.startsWith(copies));

/** Whether what builds the panel is installed: it isn't where only what runs the service is. */
export const hasTools = () => existsSync(join(packageDir, 'node_modules', 'vite'));

/**
 * Builds the panel into the empty folder `outDir`, in a copy of the sources that has the tools, and goes again with them.
 * Throws when they can't be installed or the build fails; both say why on the standard error.
 */
export async function buildInCopy(outDir: string): Promise<void> {
  // On the checkout's disk, so that packages are linked instead of copied.
  const copy = await mkdtemp(join(checkout, copies));
  try {
    for (const name of sources) {
      await cp(join(checkout, name), join(copy, name), { recursive: true, filter: isSource });
    }
    const pnpm = [
      '-y',
      'pnpm',
      'install',
      '--prod',
      '--frozen-lockfile',
      '--ignore-scripts',
      '--prefer-offline',
    ];
    await run('npx', pnpm, copy);
    await run(process.execPath, [join(copy, 'client', 'studio', 'build', 'build.ts')], copy);
    await rm(outDir, { recursive: true, force: true });
    await rename(join(copy, 'client', 'studio', 'dist'), outDir);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function run(command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}
