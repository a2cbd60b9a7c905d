import { Radio, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { InviteStaffMember } from '../../../../shared/contract/features/people.ts';
import { type Role, roleNames } from '../../../../shared/contract/roles.ts';
import { useApi } from '../../data/api.tsx';
import { nameOf, peopleKey, type StaffMember } from '../../data/queries.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { inputOf, textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

const words = texts.people;

/** Gives somebody another role, from their next click on. */
export function RoleDialog({ person, onClose }: { person: StaffMember; onClose(): void }) {
  const { studio } = useApi();
  const [role, setRole] = useState(person.role);
  const queries = useQueryClient();
  const saving = useWrite({
    run: () => studio.people.update.mutate({ id: person.id, role }),
    done: () => {
      // All that is shown, since one's own role may be among them.
      void queries.invalidateQueries();
      toast(words.changed(nameOf(person)));
    },
  });
  return (
    <ActionDialog
      title={words.roleOf(nameOf(person))}
      action={texts.common.save}
      isPending={saving.isPending}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <RoleInput value={role} onChange={setRole} />
    </ActionDialog>
  );
}

/** What somebody is to do on the site. */
const RoleInput = ({ value, onChange }: { value: Role; onChange(role: Role): void }) => (
  <Radio.Group
    label={words.role}
    value={value}
    onChange={(chosen) => {
      const role = roleNames.find((name) => name === chosen);
      if (role) onChange(role);
    }}
  >
    <Stack gap="sm" mt={6}>
      {roleNames.map((role) => (
        <Radio key={role} value={role} label={words.roles[role]} description={words.roleHelps[role]} />
      ))}
    </Stack>
  </Radio.Group>
);

/** Whom to ask, and as what. */
export function InviteDialog({ onClose }: { onClose(): void }) {
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
    done: (_, { email }) => words.sent(email),
  });
  return (
    <FormDialog title={words.add} action={words.send} {...{ form, onClose }}>
      <TextInput
        type="email"
        label={texts.session.email}
        description={words.inviteHelp}
        {...textOf(form, 'email')}
        data-autofocus
      />
      <RoleInput {...inputOf(form, 'role')} />
    </FormDialog>
  );
}
