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
