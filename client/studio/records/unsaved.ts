import type { Edit, Edits } from './edits.ts';

const prefix = 'studio:unsaved:';

/** Typed values that the service doesn't have yet, kept in the browser so that a reload or crash loses none of them. */
export interface Unsaved {
  edits: Edits;
  /** When something was last typed. */
  at: Date;
}

const keyOf = (collection: string, id: string) => `${prefix}${collection}:${id}`;

export function readUnsaved(collection: string, id: string): Unsaved | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(collection, id)) ?? 'null', revive);
    return isUnsaved(found) ? found : null;
  } catch {
    return null;
  }
}

/** Keeps `edits`, or forgets what was kept when there are none. */
export function keepUnsaved(collection: string, id: string, edits: Edits): void {
  const key = keyOf(collection, id);
  try {
    if (Object.keys(edits).length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ edits, at: new Date() }));
  } catch {
    // A full or forbidden storage costs the safety net, never the typing.
  }
}

/** Gives back edits that were taken away: to the form of the record, wherever one is open, and to the next one. */
export function giveBackUnsaved(collection: string, id: string, edits: Edits): void {
  keepUnsaved(collection, id, { ...edits, ...readUnsaved(collection, id)?.edits });
  window.dispatchEvent(new CustomEvent(keyOf(collection, id), { detail: edits }));
}

/** Calls `take` with edits that are given back, until what it returns is called. */
export function onGivenBack(collection: string, id: string, take: (edits: Edits) => void): () => void {
  const hear = (event: Event) => {
    if (event instanceof CustomEvent && areEdits(event.detail)) take(event.detail);
  };
  window.addEventListener(keyOf(collection, id), hear);
  return () => window.removeEventListener(keyOf(collection, id), hear);
}

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** JSON has no dates: they were written by `Date.toJSON`, in a form that nobody types. */
const revive = (_: string, value: unknown) =>
  typeof value === 'string' && isMoment.test(value) ? new Date(value) : value;

const isUnsaved = (value: unknown): value is Unsaved =>
  typeof value === 'object' &&
  value !== null &&
  'edits' in value &&
  areEdits(value.edits) &&
  'at' in value &&
  value.at instanceof Date;

const areEdits = (value: unknown): value is Edits =>
  typeof value === 'object' && value !== null && Object.values(value).every(isEdit);

const isEdit = (value: unknown): value is Edit =>
  typeof value === 'object' && value !== null && 'value' in value && 'base' in value;
