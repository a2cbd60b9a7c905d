import { Button, Menu, SegmentedControl } from '@mantine/core';
import { type RefObject, useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { texts } from '../../texts/texts.ts';
import { IconArrowsSort, IconCheck } from '../../ui/icons.ts';
import { FilterChips, FilterMenu } from './filter-bar.tsx';
import type { FilteredField } from './list-filters.ts';
import { type ListSearch, type State, sortsOf, statesOf } from './list-search.ts';
import classes from './list-toolbar.module.css';
import { useListAddress } from './use-list-address.ts';
import { WordsInput } from './words-input.tsx';

interface ListToolbarProps {
  resource: Resource;
  filters: readonly FilteredField[];
  listSearch: ListSearch;
  searchRef: RefObject<HTMLInputElement | null>;
  /** Down from the words that are looked for. */
  onLeave(): void;
}

/** Which records a list shows, and in which order. */
export function ListToolbar({ resource, filters, listSearch, searchRef, onLeave }: ListToolbarProps) {
  const { search, change } = useListAddress();
  const [open, setOpen] = useState<string | null>(null);
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
            value={listSearch.state ?? 'all'}
            onChange={(value) => change({ state: value === 'all' ? undefined : value })}
          />
        </div>
        <div className={classes.asking}>
          <WordsInput
            label={texts.lists.search(resource.collection)}
            inputRef={searchRef}
            onLeave={onLeave}
          />
          <FilterMenu fields={filters} {...{ search, setOpen }} />
          <SortMenu resource={resource} sort={listSearch.sort} onChange={(sort) => change({ sort })} />
        </div>
      </div>
      <FilterChips fields={filters} onChange={change} {...{ search, open, setOpen }} />
    </search>
  );
}

const stateLabel = ({ fields }: Resource, state: State | 'all') =>
  state === 'public' && 'is_draft' in fields ? texts.records.published : texts.lists.states[state];

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
