import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { texts } from '../../strings/texts.ts';
import classes from './list-toolbar.module.css';
import { useListAddress } from './use-list-page.ts';
import { WordsInput } from './words-input.tsx';

/** Whom a list shows: words that are looked for, where that has a `label`, and choices beside them. */
export const ListTools = ({ label, children }: { label?: string; children?: ReactNode }) => (
  <search className={classes.tools}>
    {label && <WordsInput label={label} />}
    {children}
  </search>
);

/** Up to so many are found by looking. */
const fewChoices = 10;

export interface OnlyProps {
  /** As the address has it. */
  name: string;
  label: string;
  /** What is chosen when nothing is left out. */
  all: string;
  choices: readonly { value: string; label: string }[];
}

interface Narrowing<Value extends string> extends Pick<OnlyProps, 'label' | 'all'> {
  /** By what each is called. */
  choices: Readonly<Record<Value, string>>;
}

/** What the address narrows a list to by one of these choices, and the input that says so. */
export function useOnly<Value extends string>(name: string, { choices, ...words }: Narrowing<Value>) {
  const { param } = useListAddress();
  const value = keysOf(choices).find((choice) => choice === param(name));
  return [value, { ...words, name, choices: choicesOf(choices) }] as const;
}

/** The same by how a row stands. */
export const useStatus = <Value extends string>(choices: Readonly<Record<Value, string>>, name = 'status') =>
  useOnly(name, { label: texts.records.state, all: texts.lists.everyState, choices });

/** One of several things that a list can be about. */
export function Only({ name, label, all, choices }: OnlyProps) {
  const { param, change } = useListAddress();
  const value = param(name) ?? '';
  return (
    <Select
      size="xs"
      className={classes.only}
      aria-label={label}
      data={[{ value: '', label: all }, ...choices]}
      value={choices.some((choice) => choice.value === value) ? value : ''}
      allowDeselect={false}
      searchable={choices.length > fewChoices}
      onChange={(next) => change({ [name]: next ?? '' })}
    />
  );
}
