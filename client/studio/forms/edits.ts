import type { Fields } from '../../../shared/contract/fields.ts';

/** Form values by field name. */
type Values = Readonly<Record<string, unknown>>;

/** A typed value that the service does not have yet. */
interface Edit {
  value: unknown;
  /** Value of the field when typing began. */
  base: unknown;
}

export type Edits = Readonly<Record<string, Edit>>;

/** Edits of a form, without the saved values. */
export interface EditState {
  typed: Edits;
  /** Last value of each field that this form sent, while it is unknown whether the service stored it. */
  sent: Values;
}

/**
 * Returns the names of fields that another writer changed since typing began. A slug that was empty then does not count,
 * because the service filled it.
 */
export const conflictingFields = ({ typed, sent }: EditState, saved: Values, fields: Fields): string[] =>
  conflictsIn(typed, saved, sent).filter(
    (name) => !(fields[name]?.kind === 'slug' && typed[name]?.base === ''),
  );

/**
 * Returns the edits that differ from `saved`, and the names of fields with a conflict: another writer changed them since typing
 * began. Without `saved` there are no conflicts.
 */
export function formStateOf({ typed, sent }: EditState, saved: Values | undefined, fields: Fields) {
  const pending = pendingEdits(typed, saved);
  return {
    pending,
    edits: typedValues(pending),
    conflicts: saved ? conflictingFields({ typed: pending, sent }, saved, fields) : [],
  };
}

/**
 * Returns the edits after a field was typed into. An existing edit keeps its base. The exception is an edit that was typed
 * back to its base: it starts again from the displayed value. If a write of its field may be in flight, it keeps its base as
 * well.
 */
export function typeInto({ typed, sent }: EditState, name: string, edit: Edit): Edits {
  const earlier = typed[name];
  const isBegun = earlier && (name in sent || !isEqual(earlier.value, earlier.base));
  return { ...typed, [name]: isBegun ? { ...edit, base: earlier.base } : edit };
}

const typedValues = (edits: Edits): Record<string, unknown> =>
  Object.fromEntries(Object.entries(edits).map(([name, { value }]) => [name, value]));

/** Returns the edits that differ from both their base and the saved value. */
export const pendingEdits = (edits: Edits, saved: Values | undefined): Edits =>
  pick(edits, (name, { value, base }) => !isEqual(value, base) && !(saved && isEqual(value, saved[name])));

/**
 * Returns the edits to keep in browser storage. In addition to the pending ones, these are values typed back to their base
 * after another value was sent: if that value arrives, they differ from it.
 */
export const editsToStore = (edits: Edits, saved: Values | undefined, sent: Values): Edits => ({
  ...pendingEdits(edits, saved),
  ...pick(
    edits,
    (name, { value, base }) => isEqual(value, base) && name in sent && !isEqual(value, sent[name]),
  ),
});

/**
 * Returns the names of fields that another writer has set: the saved value is neither the typed one, nor its base, nor the
 * one in `sent`.
 */
export const conflictsIn = (edits: Edits, saved: Values, sent: Values): string[] =>
  Object.keys(
    pick(edits, (name, { value, base }) =>
      [value, base, sent[name]].every((item) => !isEqual(item, saved[name])),
    ),
  );

/**
 * Returns the edits that remain after `sent` was stored. Fields that were typed into since then get the sent value as their
 * base.
 */
export function afterSave(edits: Edits, sent: Values): Edits {
  const left = Object.entries(edits).flatMap(([name, { value, base }]) => {
    if (!(name in sent)) return [[name, { value, base }] as const];
    return isEqual(value, sent[name]) ? [] : [[name, { value, base: sent[name] }] as const];
  });
  return Object.fromEntries(left);
}

/**
 * Returns the changes that turn `sent` into `wanted`. A field of `sent` that is missing in `wanted` gets its value in
 * `unset`. Without a value there, it is not changed.
 */
export function changesSince(sent: Values, wanted: Values, unset: Values): Record<string, unknown> {
  const names = new Set([...Object.keys(wanted), ...Object.keys(sent).filter((name) => name in unset)]);
  const target = { ...unset, ...wanted };
  const differing = [...names].filter((name) => !isEqual(target[name], sent[name]));
  return Object.fromEntries(differing.map((name) => [name, target[name]]));
}

/** Side to keep in a conflicting field. */
export type Choice = 'mine' | 'theirs';

/**
 * Returns the edits after the user has chosen. Fields with `theirs` lose their edit; fields with `mine` get the saved value
 * as their base.
 */
export function settle(edits: Edits, saved: Values, choices: Readonly<Record<string, Choice>>): Edits {
  const left = pick(edits, (name) => choices[name] !== 'theirs');
  return Object.fromEntries(
    Object.entries(left).map(([name, edit]) => [
      name,
      choices[name] === 'mine' ? { ...edit, base: saved[name] } : edit,
    ]),
  );
}

/** Returns the values whose names are not in `names`. */
export const withoutNames = <V>(values: Readonly<Record<string, V>>, names: object): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !(name in names)));

const pick = (edits: Edits, keeps: (name: string, edit: Edit) => boolean): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name, edit]) => keeps(name, edit)));

/** True if two values of a field have equal content. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (isPlain(one) && isPlain(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => isEqual(one[name], other[name]));
  }
  return one === other;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
