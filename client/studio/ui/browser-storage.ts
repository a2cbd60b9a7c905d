import { z } from 'zod';
import { holdLock } from './browser.ts';

/** A user on a site: owner of data in the browser. */
export interface Account {
  siteId: string;
  ownerId: string;
}

/** Returns a storage of the browser; may throw if the browser forbids it. */
type OpenStorage = () => Storage;

/** Storage of one account, which outlives the page. */
export type BrowserStorage = ReturnType<typeof storageOf>;

/**
 * Returns the part of `storage` that belongs to an account. It never reads, writes or clears another account's data. A
 * storage that is full, broken or forbidden is ignored: reads return null and writes do nothing.
 */
export const storageOf = ({ siteId, ownerId }: Account, storage: OpenStorage = () => window.localStorage) =>
  partOf(storage, `studio:${siteId}:${ownerId}:`);

/** Returns the storage of a browser tab, which ends with the tab and belongs to no account before sign-in. */
export const tabStorage = (storage: OpenStorage = () => window.sessionStorage) => ({
  ...partOf(storage, 'studio:'),
  /** Clears the studio's data and the router's scroll positions. */
  clear: () => {
    for (const name of namesIn(storage)) if (/^(studio:|tsr-)/.test(name)) removeFrom(storage, name);
  },
});

/** Returns the part of a storage whose names start with a prefix. */
function partOf(storage: OpenStorage, prefix: string) {
  const names = () =>
    namesIn(storage).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return {
    /** Reads a value; null if it is missing or does not match the schema. */
    read: <Schema extends z.ZodType>(name: string, schema: Schema) => {
      const kept = () => JSON.parse(storage().getItem(prefix + name) ?? 'null', revive);
      return attempt(() => schema.safeParse(kept()).data ?? null, null);
    },
    write: (name: string, value: unknown) =>
      attempt(() => storage().setItem(prefix + name, JSON.stringify(value, withDates)), undefined),
    remove: (name: string) => removeFrom(storage, prefix + name),
    names,
    /** Locks a name, as `holdLock` does. */
    hold: (name: string) => holdLock(prefix + name),
    clear: () => {
      for (const name of names()) removeFrom(storage, prefix + name);
    },
  };
}

/** Stored form of a date, since JSON has no dates. */
const KeptDate = z.strictObject({ $date: z.coerce.date() });

const revive = (_: string, value: unknown) => KeptDate.safeParse(value).data?.$date ?? value;

function withDates(this: unknown, name: string, value: unknown): unknown {
  // The replacer receives dates as strings, so look at the original value.
  const held: unknown = Object(this)[name];
  return held instanceof Date ? { $date: value } : value;
}

/** Runs `work`. Returns `otherwise` if it fails, because the storage is full, broken or forbidden. */
function attempt<Result>(work: () => Result, otherwise: Result): Result {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

const removeFrom = (storage: OpenStorage, name: string) =>
  attempt(() => storage().removeItem(name), undefined);

const namesIn = (storage: OpenStorage) =>
  attempt(() => Array.from({ length: storage().length }, (_, at) => storage().key(at) ?? ''), []);

/** Sets a cookie for requests below `path` until the browser is closed. It does not belong to an account. */
export function setCookie({ name, value, path }: { name: string; value: string; path: string }): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is only there over HTTPS.
  document.cookie = `${name}=${value}; Path=${path}; SameSite=Strict`;
}
