import { Badge, Radio, Stack, TextInput } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { InviteStaffMember } from '../../../../shared/contract/features/people.ts';
import { type Role, roleNames } from '../../../../shared/contract/roles.ts';
import { useApi, useOwn } from '../../data/api.tsx';
import { nameOf, peopleKey, peopleQuery, type StaffMember } from '../../data/queries.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { inputOf, textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useWholeList } from '../../records/list/use-list-page.ts';
import { strings } from '../../strings/ui-strings.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { nameColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { deletion, editing } from '../../ui/row-menu.tsx';
import { Time, useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

const labels = strings.people;

/** Page with the site's staff and open invitations. */
export default function PeoplePage() {
  const list = useWholeList(useQuery(peopleQuery(useApi())));
  const remove = useRemoval();
  return (
    <ListScreen
      {...{ list, columns }}
      words={{ ...labels, none: labels.alone, noneLead: labels.lead }}
      icon={IconUsersGroup}
      menu={{
        nameOf,
        actionsOf: (person, edit) => [
          editing(edit, labels.changeRole),
          deletion(() => remove(person), person.state === 'invited' ? labels.takeBack : labels.remove),
        ],
      }}
      form={(person, onClose) =>
        person ? <RoleDialog {...{ person, onClose }} /> : <InviteDialog onClose={onClose} />
      }
    />
  );
}

const columns: TableColumn<StaffMember>[] = [
  nameColumn(labels.person, (person) => ({
    first: <Named person={person} />,
    second: person.name ? person.email : '',
  })),
  {
    label: labels.role,
    column: 'state',
    cell: ({ role }) => <span title={labels.roleHelps[role]}>{labels.roles[role]}</span>,
  },
  {
    label: strings.common.since,
    column: 'when',
    cell: ({ created, expires_at }) => (expires_at ? <Invited until={expires_at} /> : <Time at={created} />),
  },
];

function Invited({ until }: { until: Date }) {
  const { inFull } = useTimeFormat();
  return (
    <span title={labels.until(inFull(until))}>
      <Dot tone="waiting" label={labels.invited} />
    </span>
  );
}

function Named({ person }: { person: StaffMember }) {
  const isOneself = useOwn()?.ownerId === person.id;
  return (
    <>
      {nameOf(person)} {isOneself && <Badge color="gray">{labels.you}</Badge>}
    </>
  );
}

/** Returns a function that removes a staff member or withdraws an invitation, after confirmation. */
function useRemoval() {
  const { studio } = useApi();
  const confirm = useConfirm();
  return (person: StaffMember) => {
    const name = nameOf(person);
    const isInvited = person.state === 'invited';
    confirm({
      title: isInvited ? labels.takeBackOne(name) : labels.removeOne(name),
      lead: isInvited ? labels.takeBackLead : labels.removeLead,
      action: isInvited ? labels.takeBack : labels.remove,
      run: () => studio.people.remove.mutate({ id: person.id }),
      refreshes: peopleKey,
      done: isInvited ? labels.takenBack(name) : labels.removed(name),
    });
  };
}

/** Dialog that changes a staff member's role, which applies from their next request. */
function RoleDialog({ person, onClose }: { person: StaffMember; onClose(): void }) {
  const { studio } = useApi();
  const [role, setRole] = useState(person.role);
  const queries = useQueryClient();
  const saving = useWrite({
    run: () => studio.people.update.mutate({ id: person.id, role }),
    done: () => {
      // Refetch everything, because users can change their own role.
      void queries.invalidateQueries();
      toast(labels.changed(nameOf(person)));
    },
  });
  return (
    <ActionDialog
      title={labels.roleOf(nameOf(person))}
      action={strings.common.save}
      isPending={saving.isPending}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <RoleInput value={role} onChange={setRole} />
    </ActionDialog>
  );
}

const RoleInput = ({ value, onChange }: { value: Role; onChange(role: Role): void }) => (
  <Radio.Group label={labels.role} {...{ value, onChange }}>
    <Stack gap="sm" mt={6}>
      {roleNames.map((role) => (
        <Radio key={role} value={role} label={labels.roles[role]} description={labels.roleHelps[role]} />
      ))}
    </Stack>
  </Radio.Group>
);

function InviteDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const initial: { email: string; role: Role } = { email: '', role: 'editor' };
  const form = useDialogForm({
    initial,
    contract: InviteStaffMember,
    way: {
      make: {
        name: 'people',
        send: (input: object, options: { idempotencyKey: string }) =>
          studio.people.invite.mutate(InviteStaffMember.parse(input), options),
      },
    },
    refreshes: peopleKey,
    onClose,
    done: (_, { email }) => labels.sent(email),
  });
  return (
    <FormDialog title={labels.add} action={labels.send} {...{ form, onClose }}>
      <TextInput
        type="email"
        label={strings.session.email}
        description={labels.inviteHelp}
        {...textOf(form, 'email')}
        data-autofocus
      />
      <RoleInput {...inputOf(form, 'role')} />
    </FormDialog>
  );
}
