import type { Companions, IncludedName } from './contract.ts';

/** The names that a list's `fields` takes; never for a procedure without `fields`. */
export type SparseNames<Input> = Input extends { fields?: infer Fields }
  ? Extract<Fields, readonly string[]>[number]
  : never;

/** The input of a list with the very `fields` that were given. */
export type SparseInput<Input, Fields> = Omit<NonNullable<Input>, 'fields'> & { fields?: Fields };

/** A list whose records hold only `Fields`; whole records when none were given. */
export type SparseOutput<Output, Fields> = Fields extends readonly string[]
  ? { [Key in keyof Output]: Output[Key] extends (infer Item)[] ? Narrowed<Item, Fields>[] : Output[Key] }
  : Output;

/** Of names that are known only at run time, each may be missing. */
type Narrowed<Item, Fields extends readonly string[]> = number extends Fields['length']
  ? Partial<Chosen<Item, Fields[number]>>
  : Chosen<Item, Fields[number]>;

/** What `include` names comes whatever the fields are. */
type Chosen<Item, Name extends string> = Pick<
  Item,
  Extract<keyof Item, Name | CompanionOf<Name> | IncludedName>
>;

type CompanionOf<Name> = Name extends keyof Companions ? Companions[Name][number] : never;
