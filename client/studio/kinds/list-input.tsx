import { TagsInput } from '@mantine/core';
import type { Field } from '../../../shared/contract/fields.ts';
import { LinesInput } from '../forms/lines-input.tsx';

interface ListInputProps {
  name: string;
  label: string;
  description: string;
  required: boolean;
  error: string | undefined;
  field: Field;
  value: unknown;
  usual: readonly string[] | undefined;
  onEnter: (() => void) | undefined;
  onChange(items: string[]): void;
  onBlur: (() => void) | undefined;
}

/** Short items are tags; sentences get a line each. */
export function ListInput({ field, value, usual = [], onEnter, ...rest }: ListInputProps) {
  const items = Array.isArray(value) ? value.map(String) : [];
  if (holdsSentences(field)) return <LinesInput {...rest} items={items} />;
  return (
    <TagsInput {...rest} data={usual} value={items} onFocus={onEnter} splitChars={[',']} acceptValueOnBlur />
  );
}

function holdsSentences({ input }: Field): boolean {
  const { examples } = input.meta() ?? {};
  const items = Array.isArray(examples) ? examples.flat() : [];
  return items.some((item) => typeof item === 'string' && item.split(' ').length > 2);
}
