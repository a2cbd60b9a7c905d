import { ActionIcon, Button, Menu, Popover, SegmentedControl, Skeleton } from '@mantine/core';
import { IconArrowsSort, IconCheck, IconFilter, IconX } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { later } from '../../ui/load-on-use.tsx';
import {
  type FilteredField,
  filterLabels,
  type ListSearch,
  type State,
  sortsOf,
  statesOf,
} from './list-search.ts';
import classes from './list-toolbar.module.css';
import { SearchInput } from './search-input.tsx';
import { useListAddress } from './use-list-page.ts';

interface ListToolbarProps {
  resource: Resource;
  filters: readonly FilteredField[];
  listSearch: ListSearch;
  searchRef: RefObject<HTMLInputElement | null>;
  /** Moves the focus from the search input into the rows. */
  onLeave(): void;
}

/** Toolbar with state, search, filters and order of a list. */
export function ListToolbar({ resource, filters, listSearch, searchRef, onLeave }: ListToolbarProps) {
  const { search, change } = useListAddress();
  const [open, setOpen] = useState<string | null>(null);
  return (
    <search className={classes.toolbar}>
      <div className={classes.row}>
        <div className={classes.states}>
          <SegmentedControl
            size="xs"
            aria-label={strings.lists.show}
            data={(['all', ...statesOf(resource)] as const).map((value) => ({
              value,
              label: stateLabel(resource, value),
            }))}
            value={listSearch.state ?? 'all'}
            onChange={(value) => change({ state: value === 'all' ? undefined : value })}
          />
        </div>
        <div className={classes.asking}>
          <SearchInput
            label={strings.lists.search(resource.collection)}
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
  state === 'public' && 'is_draft' in fields ? strings.records.published : strings.lists.states[state];

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
        aria-label={`${strings.lists.sort}: ${strings.lists.sorts[sort]}`}
      >
        {strings.lists.sort}
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
          {strings.lists.sorts[value]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

const FilterEditor = later(() => import('./filter-editor.tsx'), { meanwhile: () => <Skeleton h={36} /> });

interface FiltersProps {
  fields: readonly FilteredField[];
  search: SearchParams;
  onChange(changes: SearchParams): void;
  /** Name of the field whose filter is open. */
  open: string | null;
  setOpen(field: string | null): void;
}

/** Menu of the fields that have no filter yet. */
function FilterMenu({ fields, search, setOpen }: Omit<FiltersProps, 'onChange' | 'open'>) {
  return (
    <Menu position="bottom-end" shadow="md" width={200} returnFocus={false}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconFilter size={14} />}>
          {strings.lists.filter}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <Menu.Label>{strings.lists.filterBy}</Menu.Label>
        {fields
          .filter((field) => filterLabels(field, search) === '')
          .map(({ name, field }) => (
            <Menu.Item key={name} onClick={() => setOpen(name)}>
              {labelOf(name, field)}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The active filters; each can be changed or removed. */
function FilterChips({ fields, ...filters }: FiltersProps) {
  const { search, open } = filters;
  const shown = fields.filter((field) => field.name === open || filterLabels(field, search) !== '');
  if (shown.length === 0) return null;
  return (
    <div className={classes.chips}>
      {shown.map((field) => (
        <FilterChip key={field.name} {...{ field, ...filters }} />
      ))}
    </div>
  );
}

type FilterChipProps = Omit<FiltersProps, 'fields'> & { field: FilteredField };

function FilterChip({ field, search, onChange, open, setOpen }: FilterChipProps) {
  const isOpen = field.name === open;
  const onOpen = (opens: boolean) => setOpen(opens ? field.name : null);
  const label = labelOf(field.name, field.field);
  const labels = filterLabels(field, search);
  const remove = () => {
    onOpen(false);
    onChange(Object.fromEntries(field.questions.map(({ parameter }) => [parameter, undefined])));
  };
  return (
    <div className={classes.chip}>
      <Popover opened={isOpen} onChange={onOpen} position="bottom-start" shadow="md" width={280} trapFocus>
        <Popover.Target>
          <button type="button" className={classes.chipText} onClick={() => onOpen(!isOpen)}>
            <span>{label}</span> {labels}
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={label}>
          <FilterEditor field={field} search={search} onChange={onChange} />
        </Popover.Dropdown>
      </Popover>
      <ActionIcon size={26} aria-label={strings.lists.removeFilter(label)} onClick={remove}>
        <IconX size={13} />
      </ActionIcon>
    </div>
  );
}
