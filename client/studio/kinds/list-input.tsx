import { TagsInput, Textarea } from '@mantine/core';
import type { Field } from '../../../shared/contract/fields.ts';
import { texts } from '../texts/texts.ts';

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
export function ListInput({ field, value, usual = [], onEnter, ...input }: ListInputProps) {
  const items = Array.isArray(value) ? value.map(String) : [];
  if (holdsSentences(field)) return <LinesInput {...input} items={items} />;
  return (
    <TagsInput {...input} data={usual} value={items} onFocus={onEnter} splitChars={[',']} acceptValueOnBlur />
  );
}

function holdsSentences({ input }: Field): boolean {
  const { examples } = input.meta() ?? {};
  const items = Array.isArray(examples) ? examples.flat() : [];
  return items.some((item) => typeof item === 'string' && item.split(' ').length > 2);
}

type LinesInputProps = Omit<ListInputProps, 'field' | 'value' | 'usual' | 'onEnter'> & {
  items: readonly string[];
};

function LinesInput({ name, label, error, description, items, onChange, onBlur }: LinesInputProps) {
  return (
    <Textarea
      {...{ name, label, error }}
      description={`${description} ${texts.fields.onePerLine}`.trim()}
      autosize
      minRows={3}
      value={items.join('\n')}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? [] : currentTarget.value.split('\n'))
      }
      onBlur={() => {
        onChange(items.map((item) => item.trim()).filter((item) => item !== ''));
        onBlur?.();
      }}
    />
  );
}
