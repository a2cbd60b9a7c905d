import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeLeftFolders } from '../../../shared/runtime/remove-left-folders.ts';
import { buildInCopy, hasTools, removeLeftCopies } from './tools.ts';

const packageDir = join(import.meta.dirname, '..');

/** Name of the file with the hash of a build's sources. */
const stamp = 'sources';

/**
 * Builds the studio into a new folder and then moves it to `outDir`, so that a server never serves an incomplete build. With
 * `ifChanged`, a build of the same sources is kept.
 */
async function buildStudio(outDir: string, { ifChanged }: { ifChanged: boolean }): Promise<void> {
  // Remove leftovers of killed builds even if nothing is to be built. They must be an hour old, and the next build may
  // start sooner.
  await removeLeftFolders(packageDir, (name) => name.startsWith(`${basename(outDir)}-`));
  await removeLeftCopies();
  const hash = await hashSources(packageDir);
  const isCurrent = async () =>
    (await readFile(join(outDir, stamp), 'utf8').catch(() => '')) === hash && existsSync(outDir);
  if (ifChanged && (await isCurrent())) return;
  // `mkdtemp` creates folders that only their owner can read, and the service often runs as another user.
  const next = `${outDir}-${randomUUID()}`;
  await mkdir(next);
  try {
    if (hasTools()) await buildHere(next);
    else await buildInCopy(next);
    await writeFile(join(next, stamp), hash);
    // Another process may have put the same build into `outDir` since. Keep it, because a server would find no folder
    // during the exchange.
    if (!(ifChanged && (await isCurrent()))) await replace(outDir, next);
  } finally {
    await rm(next, { recursive: true, force: true });
  }
}

async function buildHere(outDir: string) {
  // Loaded on demand, because most starts find nothing changed.
  const { build } = await import('vite');
  await build({
    configFile: join(packageDir, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
}

async function replace(outDir: string, next: string) {
  const old = `${next}-old`;
  await rename(outDir, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  // Another build may have moved its output to `outDir` in the meantime. It was built from the same sources, so it stays.
  await rename(next, outDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(old, { recursive: true, force: true });
}

/** Sources outside the studio's package: client, contract and lockfile. */
const beside = ['../sdk', '../../shared/contract', '../../pnpm-lock.yaml'];

async function hashSources(packageDir: string): Promise<string> {
  const found = await Promise.all(['.', ...beside].map((root) => filesBelow(join(packageDir, root))));
  const hash = createHash('sha256');
  for (const file of found.flat().sort()) hash.update(file).update(await readFile(file));
  return hash.digest('hex');
}

const notSources = /(^|\/)(node_modules|dist(-[^/]*)?)(\/|$)|\.test\.ts$/;

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => null);
  if (!entries) return [root];
  const kept = entries.filter(({ name }) => !notSources.test(name));
  const nested = kept.map((entry) => {
    const path = join(root, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
  return (await Promise.all(nested)).flat();
}

// Bundled libraries depend on this variable, and the parent process may have another value.
process.env.NODE_ENV = 'production';
const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } });
await buildStudio(join(packageDir, 'dist'), { ifChanged: values['if-changed'] });
