import { CloseButton, Group, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { IconSearch } from '../ui/icons.ts';
import { useTypedWords } from '../ui/use-typed-words.ts';
import { useAsked } from './use-asked.ts';

/** Whom a list shows: words that are looked for as soon as typing pauses, and choices beside them. */
export function ListTools({ label, children }: { label: string; children?: ReactNode }) {
  const { asked, change } = useAsked();
  const [typed, type] = useTypedWords(asked('q') ?? '', (q) => change({ q }));
  return (
    <search>
      <Group gap="xs">
        <TextInput
          size="xs"
          type="search"
          w={{ base: '100%', xs: 260 }}
          aria-label={label}
          placeholder={label}
          leftSection={<IconSearch size={14} aria-hidden />}
          rightSection={
            typed !== '' && (
              <CloseButton size="xs" aria-label={texts.lists.clearSearch} onClick={() => type('')} />
            )
          }
          value={typed}
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
        {children}
      </Group>
    </search>
  );
}

/** Up to so many are found by looking. */
const fewChoices = 10;

interface OnlyProps {
  /** As the address has it. */
  name: string;
  label: string;
  /** What is chosen when nothing is left out. */
  all: string;
  choices: readonly { value: string; label: string }[];
}

/** One of several things that a list can be about. */
export function Only({ name, label, all, choices }: OnlyProps) {
  const { asked, change } = useAsked();
  const value = asked(name) ?? '';
  return (
    <Select
      size="xs"
      w={150}
      aria-label={label}
      data={[{ value: '', label: all }, ...choices]}
      value={choices.some((choice) => choice.value === value) ? value : ''}
      allowDeselect={false}
      searchable={choices.length > fewChoices}
      onChange={(next) => change({ [name]: next ?? '' })}
    />
  );
}
