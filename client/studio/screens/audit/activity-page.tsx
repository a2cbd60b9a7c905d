import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { connectedQuery, nameOf, peopleQuery, type StaffMember } from '../../data/queries.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { describeAction } from '../../strings/activity.ts';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nameColumn, type TableColumn, TwoLines, timeColumn } from '../../ui/data-table.tsx';

/** Staff of the site; undefined until loaded. */
type People = readonly StaffMember[] | undefined;

type Entry = OutputOf<ApiClient['studio']['audit']['list']>['items'][number];

/** Page with administrative actions, newest first. */
export default function ActivityPage() {
  const api = useApi();
  const { param } = useListAddress();
  const people = useQuery(peopleQuery(api)).data?.data.filter(({ state }) => state === 'active');
  const assistants = useQuery(connectedQuery(api)).data?.data ?? [];
  const choices = [
    ...(people ?? []).map((person) => ({ value: person.id, label: nameOf(person) })),
    ...assistants.map(({ id, client }) => ({ value: id, label: client.name })),
  ];
  return (
    <ListScreen
      words={strings.activity}
      icon={IconClipboardList}
      list={useListPage(pagesOf('activity', api.studio.audit.list, { actor_id: param('who') }))}
      columns={columnsWith(people)}
      only={
        people && people.length + assistants.length > 1
          ? [{ name: 'who', label: strings.activity.who, all: strings.activity.everybody, choices }]
          : []
      }
    />
  );
}

const columnsWith = (people: People): TableColumn<Entry>[] => [
  nameColumn(strings.activity.what, ({ action, changed, record_id }) => ({
    first: actionText(action),
    second: changed.map((name) => labelOf(name)).join(', ') || record_id,
  })),
  {
    label: strings.activity.who,
    column: 'state',
    cell: ({ actor }) => <TwoLines first={actor.name} second={whatIs(actor, people)} />,
  },
  timeColumn('created', strings.common.when),
];

/** Returns the actor's current role, or its kind if it is not a user. */
function whatIs({ kind, id }: Entry['actor'], people: People): string {
  if (kind !== 'owner') return strings.activity.kinds[kind];
  if (!people) return '';
  const person = people.find((one) => one.id === id);
  return person ? strings.people.roles[person.role] : strings.activity.gone;
}

/** Describes a procedure's action; falls back to the procedure's name. */
const actionText = (action: string): string =>
  describeAction(action) ??
  action
    .split('.')
    .slice(1)
    .map((name) => labelOf(name))
    .join(': ');
