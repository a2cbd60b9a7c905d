import type { ChangeEvent } from 'react';
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
  error: problems[name],
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
  error: problems[name],
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
