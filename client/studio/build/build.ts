import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeLeftFolders } from '../../../shared/runtime/left-folders.ts';
import { buildInCopy, hasTools, removeLeftCopies } from './tools.ts';

const packageDir = join(import.meta.dirname, '..');

/** Name of the file in which a build says what it was made from. */
const stamp = 'sources';

/**
 * Builds the panel into `outDir` beside what is there, and puts it in its place when it is whole, so that a server
 * which serves the folder never shows half of one. With `ifChanged` a build of the same sources is left as it is.
 */
async function buildStudio(outDir: string, { ifChanged }: { ifChanged: boolean }): Promise<void> {
  // Also where nothing is to be built: the next start after one that was ended is too early to tell.
  await removeLeftFolders(packageDir, (name) => name.startsWith(`${basename(outDir)}-`));
  await removeLeftCopies();
  const hash = await hashSources(packageDir);
  const isCurrent = async () =>
    (await readFile(join(outDir, stamp), 'utf8').catch(() => '')) === hash && existsSync(outDir);
  if (ifChanged && (await isCurrent())) return;
  // Not by `mkdtemp`, whose folders are for their maker alone: who builds is seldom the user that the service runs as.
  const next = `${outDir}-${randomUUID()}`;
  await mkdir(next);
  try {
    if (hasTools()) await buildHere(next);
    else await buildInCopy(next);
    await writeFile(join(next, stamp), hash);
    // Another build may have put the same there meanwhile; whoever reads it is not to find it gone for a moment.
    if (!(ifChanged && (await isCurrent()))) await replace(outDir, next);
  } finally {
    await rm(next, { recursive: true, force: true });
  }
}

async function buildHere(outDir: string) {
  // Loaded when there is something to build: most starts find nothing changed.
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
  // Another build may have put its own there in between; of two builds of the same sources either will do.
  await rename(next, outDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(old, { recursive: true, force: true });
}

/** What the panel is made from, besides its own package: the client, the contract, and the versions of libraries. */
const beside = ['../sdk', '../../shared/contract', '../../pnpm-lock.yaml'];

/** A hash over every source of the panel, the same as long as none has changed. */
async function hashSources(packageDir: string): Promise<string> {
  const found = await Promise.all(['.', ...beside].map((place) => filesBelow(join(packageDir, place))));
  const hash = createHash('sha256');
  for (const file of found.flat().sort()) hash.update(file).update(await readFile(file));
  return hash.digest('hex');
}

const notSources = /(^|\/)(node_modules|dist(-[^/]*)?)(\/|$)|\.test\.ts$/;

async function filesBelow(place: string): Promise<string[]> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => null);
  if (!entries) return [place];
  const kept = entries.filter(({ name }) => !notSources.test(name));
  const nested = kept.map((entry) => {
    const path = join(place, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
  return (await Promise.all(nested)).flat();
}

// Libraries are built as what this variable says, whatever the program that started this one runs as.
process.env.NODE_ENV = 'production';
const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } });
await buildStudio(join(packageDir, 'dist'), { ifChanged: values['if-changed'] });
