import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi, useOwn } from '../../data/api.tsx';
import { nameOf, peopleKey, peopleQuery, type StaffMember } from '../../data/queries.ts';
import { ListScreen } from '../../kinds/list/list-screen.tsx';
import { useWholeList } from '../../kinds/list/use-list-page.ts';
import { texts } from '../../texts/texts.ts';
import { nameColumn } from '../../ui/columns.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconUsersGroup } from '../../ui/icons.ts';
import { Moment, useMoments } from '../../ui/moment.tsx';
import { deletion, editing } from '../../ui/row-menu.tsx';
import { InviteDialog, RoleDialog } from './person-dialogs.tsx';

const words = texts.people;

/** Who works on the site, and who was asked to. */
export default function PeoplePage() {
  const list = useWholeList(useQuery(peopleQuery(useApi())));
  const remove = useRemoval();
  return (
    <ListScreen
      {...{ list, columns }}
      words={{ ...words, none: words.alone, noneLead: words.lead }}
      icon={IconUsersGroup}
      menu={{
        nameOf,
        actionsOf: (person, edit) => [
          editing(edit, words.changeRole),
          deletion(() => remove(person), person.state === 'invited' ? words.takeBack : words.remove),
        ],
      }}
      form={(person, onClose) =>
        person ? <RoleDialog {...{ person, onClose }} /> : <InviteDialog onClose={onClose} />
      }
    />
  );
}

const columns: TableColumn<StaffMember>[] = [
  nameColumn(words.person, (person) => ({
    first: <Named person={person} />,
    second: person.name ? person.email : '',
  })),
  {
    label: words.role,
    place: 'state',
    cell: ({ role }) => <span title={words.roleHelps[role]}>{words.roles[role]}</span>,
  },
  {
    label: texts.common.since,
    place: 'when',
    cell: ({ created, expires_at }) =>
      expires_at ? <Invited until={expires_at} /> : <Moment at={created} />,
  },
];

function Invited({ until }: { until: Date }) {
  const { inFull } = useMoments();
  return (
    <span title={words.until(inFull(until))}>
      <Dot tone="waiting" label={words.invited} />
    </span>
  );
}

function Named({ person }: { person: StaffMember }) {
  const isOneself = useOwn()?.ownerId === person.id;
  return (
    <>
      {nameOf(person)} {isOneself && <Badge color="gray">{words.you}</Badge>}
    </>
  );
}

/** Asks before somebody is removed, or an invitation taken back. */
function useRemoval() {
  const { studio } = useApi();
  const ask = useConfirm();
  return (person: StaffMember) => {
    const name = nameOf(person);
    const isInvited = person.state === 'invited';
    ask({
      title: isInvited ? words.takeBackOne(name) : words.removeOne(name),
      lead: isInvited ? words.takeBackLead : words.removeLead,
      action: isInvited ? words.takeBack : words.remove,
      run: () => studio.people.remove.mutate({ id: person.id }),
      refreshes: peopleKey,
      done: isInvited ? words.takenBack(name) : words.removed(name),
    });
  };
}
