import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const checkout = join(import.meta.dirname, '../..');

/** Folder of the bundles that `server/start/bundle.ts` creates, with the file `latest` that describes the last one. */
export const bundles = join(checkout, 'node_modules/.cache/service');

/**
 * Returns the path of a source file with its size and modification time. The time is in seconds, because container
 * images store no fractions.
 */
export function versionOf(file: string): string {
  const stat = statSync(join(checkout, file), { throwIfNoEntry: false });
  return `${file}\t${stat?.size}\t${Math.floor((stat?.mtimeMs ?? 0) / 1_000)}`;
}

/** Finds the folder of the latest bundle. Null if there is none, or if a source has changed since. */
export function findBundle(): string | null {
  const note = statSync(join(bundles, 'latest'), { throwIfNoEntry: false })
    ? readFileSync(join(bundles, 'latest'), 'utf8')
    : '';
  const [folder = '', madeIn, ...versions] = note.split('\n');
  const isCurrent = versions.every((version) => version === versionOf(version.split('\t', 1)[0] ?? ''));
  return madeIn === checkout && isCurrent ? join(bundles, folder) : null;
}

/**
 * Loads a module of the service: from the bundle if it is up to date, because it takes half the CPU time, otherwise by
 * `fromSource`.
 */
export async function bundled<T>(entry: string, fromSource: () => Promise<T>): Promise<T> {
  const bundle = findBundle();
  return bundle ? import(pathToFileURL(join(bundle, entry.replace(/ts$/, 'js'))).href) : fromSource();
}
