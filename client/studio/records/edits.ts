import type { Values } from '../data/records.ts';
import { isEqual } from './equal.ts';

/** What was typed into a field that the service doesn't have yet. */
interface Edit {
  value: unknown;
  /** What the field held when it was begun. */
  base: unknown;
}

export type Edits = Readonly<Record<string, Edit>>;

/** After `value` was typed into a field that holds `held` otherwise. A field that was empty began from null. */
export function typeInto(edits: Edits, name: string, value: unknown, held: unknown): Edits {
  const { [name]: begun, ...others } = edits;
  const base = begun ? begun.base : held;
  return isEqual(value, base) ? others : { ...others, [name]: { value, base } };
}

export const typedValues = (edits: Edits): Values =>
  Object.fromEntries(Object.entries(edits).map(([name, { value }]) => [name, value]));

/** Without those that the service has got by now, from wherever. */
export const pendingEdits = (edits: Edits, saved: Values | undefined): Edits =>
  saved ? pick(edits, (name, { value }) => !isEqual(value, saved[name])) : edits;

/**
 * The fields that somebody else has given another value since they were typed into here. `sent` is what this form itself
 * has sent: that comes back as nobody else's.
 */
export const conflictsIn = (edits: Edits, saved: Values, sent: Values): string[] =>
  Object.keys(
    pick(edits, (name, { value, base }) =>
      [value, base, sent[name]].every((known) => !isEqual(known, saved[name])),
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

const pick = (edits: Edits, keeps: (name: string, edit: Edit) => boolean): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name, edit]) => keeps(name, edit)));
