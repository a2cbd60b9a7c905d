import { TextInput } from '@mantine/core';
import { InviteStaffMember } from '../../../../shared/contract/features/people.ts';
import type { Role } from '../../../../shared/contract/roles.ts';
import { useApi } from '../../data/api.tsx';
import { peopleKey } from '../../data/people.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { textOf } from '../../forms/text-of.ts';
import { useDialogForm } from '../../forms/use-dialog-form.ts';
import { texts } from '../../texts/texts.ts';
import { RoleInput } from './role-input.tsx';

const words = texts.people;

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
  const { values, set } = form;
  return (
    <FormDialog title={words.invite} action={words.send} {...{ form, onClose }}>
      <TextInput
        type="email"
        label={texts.session.email}
        description={words.inviteHelp}
        {...textOf(form, 'email')}
        data-autofocus
      />
      <RoleInput value={values.role} onChange={(role) => set('role', role)} />
    </FormDialog>
  );
}
