import { z } from 'zod';
import type { Edits } from '../forms/edits.ts';
import type { BrowserStorage } from '../ui/browser-storage.ts';

const Edit = z.object({ value: z.unknown(), base: z.unknown() });

/** Typed values that the service doesn't have yet, kept in the browser so that a reload or crash loses none of them. */
const Kept = z.object({
  edits: z.record(z.string(), Edit),
  /** When something was last typed. */
  at: z.date(),
});

export type Unsaved = ReturnType<typeof createUnsaved>;

/** What was typed into the forms of records and is not saved, by whose storage it is. */
export function createUnsaved(storage: BrowserStorage) {
  const forms = new Map<string, Set<(edits: Edits) => void>>();
  const nameOf = (collection: string, id: string) => `unsaved:${collection}:${id}`;
  const read = (collection: string, id: string) => storage.read(nameOf(collection, id), Kept);
  /** Keeps `edits`, or forgets what was kept when there are none. */
  const keep = (collection: string, id: string, edits: Edits): void => {
    const name = nameOf(collection, id);
    if (Object.keys(edits).length === 0) storage.remove(name);
    else storage.write(name, { edits, at: new Date() });
  };
  return {
    read,
    keep,
    /** Whether anything would be lost with the storage: also what was sent and has no answer yet. */
    isAny: () => storage.names().some((name) => /^(unsaved|sent):/.test(name)),
    /** Gives back edits that were taken away: to the form of the record, wherever one is open, and to the next one. */
    giveBack(collection: string, id: string, edits: Edits): void {
      keep(collection, id, { ...edits, ...read(collection, id)?.edits });
      for (const take of forms.get(nameOf(collection, id)) ?? []) take(edits);
    },
    /** Calls `take` with edits that are given back, until what it returns is called. */
    onGivenBack(collection: string, id: string, take: (edits: Edits) => void): () => void {
      const name = nameOf(collection, id);
      const takers = forms.get(name) ?? new Set();
      forms.set(name, takers.add(take));
      return () => takers.delete(take);
    },
  };
}
