import type { Fields } from '../../../shared/contract/fields.ts';

/** Values of a form by field. */
type Values = Readonly<Record<string, unknown>>;

/** What was typed into a field that the service doesn't have yet. */
interface Edit {
  value: unknown;
  /** What the field held when it was begun. */
  base: unknown;
}

export type Edits = Readonly<Record<string, Edit>>;

/** What a form knows of its fields, besides what the service has. */
export interface Typing {
  typed: Edits;
  /** The last value of each field that this form has sent and that may have been written, for all it knows. */
  sent: Values;
}

/**
 * The fields that somebody else has changed since they were typed into. A slug that was empty when typing
 * began doesn't count: the service filled it.
 */
export const overtaken = ({ typed, sent }: Typing, saved: Values, fields: Fields): string[] =>
  conflictsIn(typed, saved, sent).filter(
    (name) => !(fields[name]?.kind === 'slug' && typed[name]?.base === ''),
  );

/** How the fields of a form stand: as the service has `saved` them, with what was typed on top. */
export function standingOf({ typed, sent }: Typing, saved: Values | undefined, fields: Fields) {
  const pending = pendingEdits(typed, saved);
  return {
    pending,
    edits: typedValues(pending),
    conflicts: saved ? overtaken({ typed: pending, sent }, saved, fields) : [],
  };
}

/**
 * After `edit` was typed into a field: what was begun before keeps what it began from. What was typed back to that is begun
 * anew: the field shows what the service has by now. Not while the service may get another value from here.
 */
export function typeInto({ typed, sent }: Typing, name: string, edit: Edit): Edits {
  const earlier = typed[name];
  const isBegun = earlier && (name in sent || !isEqual(earlier.value, earlier.base));
  return { ...typed, [name]: isBegun ? { ...edit, base: earlier.base } : edit };
}

const typedValues = (edits: Edits): Record<string, unknown> =>
  Object.fromEntries(Object.entries(edits).map(([name, { value }]) => [name, value]));

/** Without those that are as they were begun, and those that the service has got by now, from wherever. */
export const pendingEdits = (edits: Edits, saved: Values | undefined): Edits =>
  pick(edits, (name, { value, base }) => !isEqual(value, base) && !(saved && isEqual(value, saved[name])));

/** The same with those that are as they were begun but not as they were sent: where that arrives, they are edits of it. */
export const editsToStore = (edits: Edits, saved: Values | undefined, sent: Values): Edits => ({
  ...pendingEdits(edits, saved),
  ...pick(
    edits,
    (name, { value, base }) => isEqual(value, base) && name in sent && !isEqual(value, sent[name]),
  ),
});

/**
 * The fields that somebody else has given another value since they were typed into here. `sent` is what this form itself
 * has sent: that comes back as nobody else's.
 */
export const conflictsIn = (edits: Edits, saved: Values, sent: Values): string[] =>
  Object.keys(
    pick(edits, (name, { value, base }) =>
      [value, base, sent[name]].every((item) => !isEqual(item, saved[name])),
    ),
  );

/** After `sent` was written: without what is there now, the rest as begun from it. */
export function afterSave(edits: Edits, sent: Values): Edits {
  const left = Object.entries(edits).flatMap(([name, { value, base }]) => {
    if (!(name in sent)) return [[name, { value, base }] as const];
    return isEqual(value, sent[name]) ? [] : [[name, { value, base: sent[name] }] as const];
  });
  return Object.fromEntries(left);
}

/** What has to be written where `sent` is what there is, and `wanted` is to be: what that leaves out is `unset`. */
export function changesSince(sent: Values, wanted: Values, unset: Values): Record<string, unknown> {
  const names = new Set([...Object.keys(wanted), ...Object.keys(sent).filter((name) => name in unset)]);
  const target = { ...unset, ...wanted };
  const differing = [...names].filter((name) => !isEqual(target[name], sent[name]));
  return Object.fromEntries(differing.map((name) => [name, target[name]]));
}

/** What to keep of a field that two have changed. */
export type Choice = 'mine' | 'theirs';

/** After somebody has chosen: what they want of `saved` is no longer an edit, what they keep begins from it. */
export function settle(edits: Edits, saved: Values, choices: Readonly<Record<string, Choice>>): Edits {
  const left = pick(edits, (name) => choices[name] !== 'theirs');
  return Object.fromEntries(
    Object.entries(left).map(([name, edit]) => [
      name,
      choices[name] === 'mine' ? { ...edit, base: saved[name] } : edit,
    ]),
  );
}

export const withoutNames = <V>(values: Readonly<Record<string, V>>, names: object): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !(name in names)));

const pick = (edits: Edits, keeps: (name: string, edit: Edit) => boolean): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name, edit]) => keeps(name, edit)));

/** Whether two values of a field are the same. */
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
