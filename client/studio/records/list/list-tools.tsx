import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { strings } from '../../strings/ui-strings.ts';
import classes from './list-toolbar.module.css';
import { SearchInput } from './search-input.tsx';
import { useListAddress } from './use-list-page.ts';

/** Search input, if there is a `label`, with filters beside it. */
export const ListTools = ({ label, children }: { label?: string; children?: ReactNode }) => (
  <search className={classes.tools}>
    {label && <SearchInput label={label} />}
    {children}
  </search>
);

/** Maximum number of choices without a search input. */
const fewChoices = 10;

export interface OnlyProps {
  /** Name of the parameter in the address. */
  name: string;
  label: string;
  /** Label of the choice that removes the filter. */
  all: string;
  choices: readonly { value: string; label: string }[];
}

interface Narrowing<Value extends string> extends Pick<OnlyProps, 'label' | 'all'> {
  /** Labels by value. */
  choices: Readonly<Record<Value, string>>;
}

/**
 * Returns the value of a filter in the address, and the props of its input. The value is undefined if it is not one of the
 * choices.
 */
export function useOnly<Value extends string>(name: string, { choices, ...labels }: Narrowing<Value>) {
  const { param } = useListAddress();
  const value = keysOf(choices).find((choice) => choice === param(name));
  return [value, { ...labels, name, choices: choicesOf(choices) }] as const;
}

/**
 * Returns the value of a filter by status in the address, and the props of its input. The value is undefined if it is not
 * one of the choices.
 */
export const useStatus = <Value extends string>(choices: Readonly<Record<Value, string>>, name = 'status') =>
  useOnly(name, { label: strings.records.state, all: strings.lists.everyState, choices });

/** Input that filters a list by one of several values. */
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
      searchable={choices.length > fewChoices}
      onChange={(next) => change({ [name]: next ?? '' })}
    />
  );
}
