import { z } from 'zod';
import type { Edits } from '../forms/edits.ts';
import type { BrowserStorage } from '../ui/browser-storage.ts';

const Edit = z.object({ value: z.unknown(), base: z.unknown() });

/** Edits that the service does not have yet. */
const Kept = z.object({
  edits: z.record(z.string(), Edit),
  /** Time of the last change. */
  at: z.date(),
});

export type Unsaved = ReturnType<typeof createUnsaved>;

/**
 * Creates the storage of unsaved record edits.
 *
 * Each form writes its edits at every change, so a reload or crash loses none. An entry is removed when its record has no
 * edits left. It survives leaving the form, and the next form of the record restores it. Undoing a discard gives edits back
 * to the open form of the record, or to the next one.
 */
export function createUnsaved(storage: BrowserStorage) {
  const forms = new Map<string, Set<(edits: Edits) => void>>();
  const nameOf = (collection: string, id: string) => `unsaved:${collection}:${id}`;
  const read = (collection: string, id: string) => storage.read(nameOf(collection, id), Kept);
  /** Stores `edits`, or removes the entry if there are none. */
  const keep = (collection: string, id: string, edits: Edits): void => {
    const name = nameOf(collection, id);
    if (Object.keys(edits).length === 0) storage.remove(name);
    else storage.write(name, { edits, at: new Date() });
  };
  return {
    read,
    keep,
    /** True if clearing the storage would lose edits or unanswered requests. */
    isAny: () => storage.names().some((name) => /^(unsaved|sent):/.test(name)),
    /** Restores discarded edits, in the open form of the record or in the next one. Newer edits of the same field win. */
    giveBack(collection: string, id: string, edits: Edits): void {
      keep(collection, id, { ...edits, ...read(collection, id)?.edits });
      for (const take of forms.get(nameOf(collection, id)) ?? []) take(edits);
    },
    /** Calls `take` with restored edits. Returns a function that stops it. */
    onGivenBack(collection: string, id: string, take: (edits: Edits) => void): () => void {
      const name = nameOf(collection, id);
      const takers = forms.get(name) ?? new Set();
      forms.set(name, takers.add(take));
      return () => takers.delete(take);
    },
  };
}
