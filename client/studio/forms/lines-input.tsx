import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';

interface LinesInputProps {
  name: string;
  label: string;
  description: string;
  error: ReactNode;
  items: readonly string[];
  onChange(items: string[]): void;
  onBlur?: (() => void) | undefined;
}

/** A list whose items are sentences: one on each line. */
export function LinesInput({ items, onChange, description, onBlur, name, label, error }: LinesInputProps) {
  return (
    <Textarea
      name={name}
      label={label}
      error={error}
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
