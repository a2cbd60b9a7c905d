import type { ChangeEvent } from 'react';
import type { Field } from '../../../shared/contract/fields.ts';
import { describeProblem } from '../strings/failures.ts';
import type { FieldProblems } from './problems.ts';

interface TextForm<Name extends string> {
  values: Readonly<Record<Name, string>>;
  problems: FieldProblems;
  set(name: Name, value: string): void;
}

/** What an input shows and changes that is one text of a form. */
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

/** The same of one that gives its value as it is. */
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

/** The same of one that is ticked. */
export const tickOf = <Name extends string>({ values, set }: TickForm<NoInfer<Name>>, name: Name) => ({
  checked: values[name],
  onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => set(name, currentTarget.checked),
});

/** What is shown where nothing has been typed yet. */
export function exampleOf({ input }: Field): string {
  const { examples = [] } = input.meta() ?? {};
  const [example] = Array.isArray(examples) ? examples : [];
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '';
}

export interface FieldChoice {
  value: string;
  label: string;
}

/** What there is to choose from, by what each is called. */
export const choicesOf = (labels: Readonly<Record<string, string>> = {}): FieldChoice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
