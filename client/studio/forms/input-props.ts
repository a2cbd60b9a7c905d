import type { ChangeEvent } from 'react';
import type { Field } from '../../../shared/contract/fields.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { describeProblem } from '../strings/failures.ts';
import type { FieldProblems } from './field-problems.ts';

interface TextForm<Name extends string> {
  values: Readonly<Record<Name, string>>;
  problems: FieldProblems;
  set(name: Name, value: string): void;
}

/** Returns the props of an input for a text value of a form. */
export const textOf = <Name extends string>(
  { values, problems, set }: TextForm<NoInfer<Name>>,
  name: Name,
) => ({
  value: values[name],
  error: describeProblem(problems[name]),
  onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    set(name, currentTarget.value),
});

interface ValueForm<Values> {
  values: Values;
  problems: FieldProblems;
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void;
}

/** Returns the props of an input that passes its value to `onChange` directly. */
export const inputOf = <Values extends object, Name extends keyof Values & string>(
  { values, problems, set }: ValueForm<Values>,
  name: Name,
) => ({
  value: values[name],
  error: describeProblem(problems[name]),
  onChange: (value: Values[Name]) => set(name, value),
});

interface TickForm<Name extends string> {
  values: Readonly<Record<Name, boolean>>;
  set(name: Name, value: boolean): void;
}

/** Returns the props of a checkbox or switch for a boolean value of a form. */
export const tickOf = <Name extends string>({ values, set }: TickForm<NoInfer<Name>>, name: Name) => ({
  checked: values[name],
  onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => set(name, currentTarget.checked),
});

interface ListForm<Name extends string, Value> {
  values: Readonly<Record<Name, readonly Value[]>>;
  problems: FieldProblems;
  set(name: Name, value: Value[]): void;
}

/** Returns the props of a group of checkboxes for a list in a form. Ticked values have the order of `all`. */
export const ticksOf = <Name extends string, Value extends string>(
  { values, problems, set }: ListForm<NoInfer<Name>, Value>,
  name: Name,
  all: readonly Value[],
) => ({
  value: [...values[name]],
  error: describeProblem(problems[name]),
  onChange: (ticked: readonly string[]) =>
    set(
      name,
      all.filter((one) => ticked.includes(one)),
    ),
});

/** Returns the first example in the contract, as a placeholder; empty if there is none. */
export function exampleOf({ input }: Field): string {
  const { examples = [] } = input.meta() ?? {};
  const [example] = Array.isArray(examples) ? examples : [];
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '';
}

export interface FieldChoice<Value extends string = string> {
  value: Value;
  label: string;
}

/** Converts labels by value into the options of a select. */
export const choicesOf = <Value extends string>(
  labels: Readonly<Record<Value, string>>,
): FieldChoice<Value>[] => keysOf(labels).map((value) => ({ value, label: labels[value] }));
