import { Button, CloseButton, Menu, SegmentedControl, TextInput } from '@mantine/core';
import type { KeyboardEvent, RefObject } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { texts } from '../texts/texts.ts';
import { IconArrowsSort, IconCheck, IconSearch } from '../ui/icons.ts';
import { useTypedWords } from '../ui/use-typed-words.ts';
import { FilterChips, FilterMenu, useOpenFilter } from './filter-bar.tsx';
import type { FilteredField } from './list-filters.ts';
import { type ListSearch, type State, sortsOf, statesOf, type useListAddress } from './list-search.ts';
import classes from './list-toolbar.module.css';

interface ListToolbarProps {
  resource: Resource;
  filters: readonly FilteredField[];
  asked: ListSearch;
  address: ReturnType<typeof useListAddress>;
  searchRef: RefObject<HTMLInputElement | null>;
  /** Down from the words that are looked for. */
  onLeave(): void;
}

/** Which records a list shows, and in which order. */
export function ListToolbar({ resource, filters, asked, address, searchRef, onLeave }: ListToolbarProps) {
  const { search, change } = address;
  const open = useOpenFilter();
  return (
    <search className={classes.toolbar}>
      <div className={classes.row}>
        <div className={classes.states}>
          <SegmentedControl
            size="xs"
            aria-label={texts.lists.show}
            data={(['all', ...statesOf(resource)] as const).map((value) => ({
              value,
              label: stateLabel(resource, value),
            }))}
            value={asked.state ?? 'all'}
            onChange={(value) => change({ state: value === 'all' ? undefined : value })}
          />
        </div>
        <div className={classes.asking}>
          <WordsInput
            label={texts.lists.search(resource.collection)}
            value={asked.q}
            inputRef={searchRef}
            onChange={(q) => change({ q })}
            onLeave={onLeave}
          />
          <FilterMenu fields={filters} search={search} {...open} />
          <SortMenu resource={resource} sort={asked.sort} onChange={(sort) => change({ sort })} />
        </div>
      </div>
      <FilterChips fields={filters} search={search} onChange={change} {...open} />
    </search>
  );
}

const stateLabel = ({ fields }: Resource, state: State | 'all') =>
  state === 'public' && 'is_draft' in fields ? texts.records.published : texts.lists.states[state];

interface WordsInputProps {
  label: string;
  /** Those that the list was asked for. */
  value: string;
  inputRef: RefObject<HTMLInputElement | null>;
  onChange(words: string): void;
  onLeave(): void;
}

/** Words that are looked for as soon as typing pauses. */
function WordsInput({ label, value, inputRef, onChange, onLeave }: WordsInputProps) {
  const [typed, type] = useTypedWords(value, onChange);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && typed !== '') type('');
    else if (event.key === 'Escape') inputRef.current?.blur();
    else if (event.key === 'ArrowDown' || event.key === 'Enter') onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <TextInput
      ref={inputRef}
      size="xs"
      type="search"
      className={classes.words}
      aria-label={label}
      aria-keyshortcuts={texts.lists.searchKey}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        typed === '' ? (
          <kbd className={classes.key}>{texts.lists.searchKey}</kbd>
        ) : (
          <CloseButton size="xs" aria-label={texts.lists.clearSearch} onClick={() => type('')} />
        )
      }
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

interface SortMenuProps {
  resource: Resource;
  sort: ListSearch['sort'];
  onChange(sort: string): void;
}

const SortMenu = ({ resource, sort, onChange }: SortMenuProps) => (
  <Menu position="bottom-end" shadow="md" width={220}>
    <Menu.Target>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowsSort size={14} />}
        aria-label={`${texts.lists.sort}: ${texts.lists.sorts[sort]}`}
      >
        {texts.lists.sort}
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {sortsOf(resource).map((value) => (
        <Menu.Item
          key={value}
          aria-current={value === sort}
          rightSection={value === sort && <IconCheck size={14} />}
          onClick={() => onChange(value)}
        >
          {texts.lists.sorts[value]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
