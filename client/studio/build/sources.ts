import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the panel is made from, besides its own package: the client, the contract, and the versions of libraries. */
const beside = ['../sdk', '../../shared/contract', '../../pnpm-lock.yaml'];

/** A hash over every source of the panel, the same as long as none has changed. */
export async function hashSources(packageDir: string): Promise<string> {
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
