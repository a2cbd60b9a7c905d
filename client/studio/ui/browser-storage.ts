import { z } from 'zod';
import { holdLock } from './browser.ts';

/** Whom something that the browser keeps belongs to: a person at a site. */
export interface Account {
  siteId: string;
  ownerId: string;
}

/** A storage of the browser's, which may forbid to be looked at. */
type Place = () => Storage;

/** What the browser keeps for one account, beyond the page that it was made in. */
export type BrowserStorage = ReturnType<typeof storageOf>;

/**
 * The part of `storage` that belongs to an account: nothing of another's is read, written or cleared by it. A storage that
 * is full or forbidden costs what would have been kept, and nothing else.
 */
export const storageOf = ({ siteId, ownerId }: Account, storage: Place = () => window.localStorage) =>
  partOf(storage, `studio:${siteId}:${ownerId}:`);

/** What ends with the browser's tab, and is nobody's before somebody has signed in. */
export const tabStorage = (storage: Place = () => window.sessionStorage) => ({
  ...partOf(storage, 'studio:'),
  /** Clears all of it, with what the router notes of the screens that were shown. */
  clear: () => {
    for (const name of namesIn(storage)) if (/^(studio:|tsr-)/.test(name)) removeFrom(storage, name);
  },
});

/** What has names that begin so. */
function partOf(storage: Place, prefix: string) {
  const names = () =>
    namesIn(storage).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return {
    /** Null when there is none, or none of this form. */
    read: <Schema extends z.ZodType>(name: string, schema: Schema) =>
      readFrom(storage, prefix + name, schema),
    write: (name: string, value: unknown) => writeTo(storage, prefix + name, value),
    remove: (name: string) => removeFrom(storage, prefix + name),
    names,
    /** Holds a name, as `holdLock` does. */
    hold: (name: string) => holdLock(prefix + name),
    clear: () => {
      for (const name of names()) removeFrom(storage, prefix + name);
    },
  };
}

/** How a date is kept, which JSON has no form for. */
const KeptDate = z.strictObject({ $date: z.coerce.date() });

const revive = (_: string, value: unknown) => KeptDate.safeParse(value).data?.$date ?? value;

function withDates(this: unknown, name: string, value: unknown): unknown {
  // Given to a replacer, a date is text already.
  const held: unknown = Object(this)[name];
  return held instanceof Date ? { $date: value } : value;
}

function readFrom<Schema extends z.ZodType>(storage: Place, name: string, schema: Schema) {
  try {
    const kept: unknown = JSON.parse(storage().getItem(name) ?? 'null', revive);
    return schema.safeParse(kept).data ?? null;
  } catch {
    return null;
  }
}

function writeTo(storage: Place, name: string, value: unknown): void {
  try {
    storage().setItem(name, JSON.stringify(value, withDates));
  } catch {
    // See `storageOf`.
  }
}

function removeFrom(storage: Place, name: string): void {
  try {
    storage().removeItem(name);
  } catch {
    // See `storageOf`.
  }
}

function namesIn(storage: Place): string[] {
  try {
    return Array.from({ length: storage().length }, (_, at) => storage().key(at) ?? '');
  } catch {
    return [];
  }
}

/** Tells the service something with each request below `path`, for as long as the browser is open. It is nobody's own. */
export function setCookie({ name, value, path }: { name: string; value: string; path: string }): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is only there over HTTPS.
  document.cookie = `${name}=${value}; Path=${path}; SameSite=Strict`;
}
