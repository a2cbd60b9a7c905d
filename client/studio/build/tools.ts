import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftFolders } from '../../../shared/runtime/remove-left-folders.ts';

const packageDir = join(import.meta.dirname, '..');
const checkout = join(packageDir, '..', '..');

/** Files and folders that a build reads. */
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

/** Removes copies of sources that interrupted builds left behind. */
export const removeLeftCopies = () => removeLeftFolders(checkout, (name) => name.startsWith(copies));

/** True if the build tools are installed; production installs omit them. */
export const hasTools = () => existsSync(join(packageDir, 'node_modules', 'vite'));

/**
 * Builds the studio into the empty folder `outDir`. Copies the sources, installs the tools there and removes the copy
 * afterwards. Throws if the installation or the build fails; both print their reason to standard error.
 */
export async function buildInCopy(outDir: string): Promise<void> {
  // Create the copy on the checkout's disk, so that pnpm links packages instead of copying them.
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
  if (code !== 0) throw new Error(`${command} exited with code ${code}`);
}
