import { createSpotlight, Spotlight, type SpotlightActionGroupData, useSpotlight } from '@mantine/spotlight';
import { cutText } from '../../../shared/contract/cut-text.ts';
import { queryOf } from '../data/queries.ts';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconMoon, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import type { Role } from '../../../shared/contract/roles.ts';
import { useApi } from '../data/api.tsx';
import { mayCreate, useRole } from '../data/permissions.ts';
import { namingFields, shapeOf, singularOf, titleOf } from '../data/record-shape.ts';
import { newId, type OwnRecord, recordsOf } from '../data/records.ts';
import { strings } from '../strings/ui-strings.ts';
import { iconOf } from '../ui/collection-icon.ts';
import { useNavigation } from './navigation.ts';

const all = Object.values<Resource>(resources);
/** Maximum number of newest records per resource to choose from by title. */
const max = 100;
/** Maximum number of search results per resource. */
const maxResults = 6;
const pauseMs = 150;
const maxQueryLength = 100;

const [store, spotlight] = createSpotlight();

/** Command palette: finds screens, actions and records by name. Control+K opens it anywhere. */
export default function Palette() {
  const navigate = useNavigate();
  const navigation = useNavigation();
  const role = useRole();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // Read the state from the store. The `onSpotlightOpen` callback is not called if the palette was opened before this
  // component mounted.
  const { opened } = useSpotlight(store);
  const go = (to: string) => () => void navigate({ to });
  const [query, setQuery] = useState('');
  const records = useRecords(opened, query);
  const groups: SpotlightActionGroupData[] = [
    {
      group: strings.palette.actions,
      actions: [
        ...creations(role, go),
        {
          id: 'scheme',
          label: strings.palette.scheme,
          leftSection: <IconMoon size={17} />,
          onClick: () => setColorScheme(colorScheme === 'dark' ? 'light' : 'dark'),
        },
      ],
    },
    {
      group: strings.palette.screens,
      actions: navigation.flatMap(({ items }) =>
        items.map(({ label, path, icon: ItemIcon }) => ({
          id: `screen-${path}`,
          label,
          leftSection: <ItemIcon size={17} stroke={1.7} />,
          onClick: go(path),
        })),
      ),
    },
    {
      group: strings.palette.records,
      actions: records.map(({ collection, id, title, foundBy }) => {
        const RecordIcon = iconOf(collection);
        return {
          id: `record-${id}`,
          label: title,
          // The palette filters by title, so a record found by its text needs the query as a keyword.
          keywords: foundBy,
          leftSection: <RecordIcon size={17} stroke={1.7} />,
          onClick: go(`/${collection}/${id}`),
        };
      }),
    },
  ];
  return (
    <Spotlight
      store={store}
      actions={groups}
      shortcut={null}
      limit={12}
      scrollable
      maxHeight={440}
      radius="lg"
      centered={false}
      yOffset={96}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      nothingFound={strings.lists.noMatch}
      attributes={{ content: { 'aria-label': strings.navigation.search, 'data-palette': true } }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: strings.navigation.search,
        'aria-label': strings.navigation.search,
      }}
      query={query}
      onQueryChange={setQuery}
    />
  );
}

/** Actions that create a record, for the resources that the role may create. */
const creations = (role: Role, go: (to: string) => () => void) =>
  all
    .filter((resource) => mayCreate(role, resource))
    .map((resource) => ({
      id: `new-${resource.collection}`,
      label: strings.records.new(singularOf(resource)),
      leftSection: <IconPlus size={17} />,
      onClick: go(`/${resource.collection}/${newId}`),
    }));

/** Returns the newest records of every resource, and those that the service finds by the query. */
function useRecords(isWanted: boolean, query: string) {
  const api = useApi();
  const [q] = useDebouncedValue(cutText(query.trim(), maxQueryLength), pauseMs);
  const namesOf = (resource: Resource, query?: string) => ({
    ...queryOf(['records', resource.collection, 'names', query], recordsOf(api, resource).list, {
      ...(query !== undefined && { q: query }),
      fields: namingFields(shapeOf(resource)),
      per_page: query === undefined ? max : maxResults,
    }),
    enabled: isWanted && query !== '',
    staleTime: 60_000,
  });
  const newest = useQueries({ queries: all.map((resource) => namesOf(resource)) });
  const found = useQueries({ queries: all.map((resource) => namesOf(resource, q)) });
  const named = [...namesIn(newest, []), ...namesIn(found, [q])];
  return [...new Map(named.map((record) => [record.id, record])).values()];
}

/** Converts lists of records into palette entries; `lists` has one per resource, in the contract's order. */
function namesIn(lists: readonly { data?: { items: OwnRecord[] } | undefined }[], foundBy: string[]) {
  return lists.flatMap(({ data }, index) => {
    const resource = all[index];
    if (!resource || !data) return [];
    const shape = shapeOf(resource);
    return data.items.map((record) => ({
      collection: resource.collection,
      id: record.id,
      title: titleOf(shape, record) || strings.records.untitled,
      foundBy,
    }));
  });
}

export const openPalette = () => spotlight.open();
