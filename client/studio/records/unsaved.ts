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

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** JSON has no dates: they were written by `Date.toJSON`, in a form that nobody types. */
const revive = (_: string, value: unknown) =>
  typeof value === 'string' && isMoment.test(value) ? new Date(value) : value;

const isUnsaved = (value: unknown): value is Unsaved =>
  typeof value === 'object' &&
  value !== null &&
  'edits' in value &&
  typeof value.edits === 'object' &&
  value.edits !== null &&
  Object.values(value.edits).every(isEdit) &&
  'at' in value &&
  value.at instanceof Date;

const isEdit = (value: unknown): value is Edit =>
  typeof value === 'object' && value !== null && 'value' in value && 'base' in value;
