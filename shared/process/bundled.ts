import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCompiled } from './compiled.ts';

/** Where the service is, as somebody got it. */
export const checkout = join(import.meta.dirname, '..', '..');

/** Where `server/start/bundle.ts` keeps what it makes. */
export const bundles = join(checkout, 'node_modules', '.cache', 'service');

/**
 * What a bundle says of itself: the folder it is in, the checkout it was made in, and each file that it was made from, as it was
 * then. Made anew, it is in another folder: a process loads some of it hours after its start.
 */
export const bundleNote = join(bundles, 'current');

/** A file of the checkout as it is now: its length, and the second in which it was changed, which is all that images keep. */
export function versionOf(file: string): string {
  const stat = statSync(`${checkout}/${file}`, { throwIfNoEntry: false });
  return `${file}\t${stat?.size}\t${Math.floor((stat?.mtimeMs ?? 0) / 1_000)}`;
}

/** The folder of the bundle; null where there is none, or one of other sources than there are now. */
export function currentBundle(): string | null {
  let note: string;
  try {
    note = readFileSync(bundleNote, 'utf8');
  } catch {
    return null;
  }
  const [folder = '', madeIn, ...versions] = note.split('\n');
  const isCurrent = versions.every((version) => version === versionOf(version.split('\t', 1)[0] ?? ''));
  return madeIn === checkout && isCurrent ? join(bundles, folder) : null;
}

/**
 * A module of the service with all that it needs, from a few files where they are there: to find and to link each of its many
 * modules costs more than to run it. `fromSources` does the same, at leisure.
 *
 * @param entry its path in the checkout; `server/start/bundle.ts` lists it
 */
export async function bundled<T>(entry: string, fromSources: () => Promise<T>): Promise<T> {
  const folder = currentBundle();
  const file = folder && join(folder, entry.replace(/ts$/, 'cjs'));
  if (!file || !existsSync(file)) return fromSources();
  try {
    const { exports }: { exports: T } = runCompiled(file);
    return exports;
  } catch (error) {
    console.error(
      `The service bundle is damaged, so the sources are loaded instead; rebuild it with: npx -y pnpm build:studio. ${error}`,
    );
    return fromSources();
  }
}
