import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { InviteStaffMember } from '../../../../shared/contract/features/people.ts';
import type { Role } from '../../../../shared/contract/roles.ts';
import { useApi } from '../../data/api.tsx';
import { peopleKey } from '../../data/people.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { toast } from '../../ui/toast.tsx';
import { RoleInput } from './role-input.tsx';

const words = texts.people;

/** Whom to ask, and as what. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const initial: { email: string; role: Role } = { email: '', role: 'editor' };
  const form = useForm({
    initial,
    contract: InviteStaffMember,
    way: {
      make: {
        name: 'people',
        send: (input: object, options: { idempotencyKey: string }) =>
          studio.people.invite.mutate(InviteStaffMember.parse(input), options),
      },
    },
    onSent: (_, { email }) => {
      void queries.invalidateQueries({ queryKey: peopleKey });
      onClose();
      toast(words.sent(email));
    },
  });
  const { values, problems, set } = form;
  return (
    <FormDialog title={words.invite} action={words.send} {...{ form, onClose }}>
      <TextInput
        type="email"
        label={texts.session.email}
        description={words.inviteHelp}
        value={values.email}
        error={problems.email}
        onChange={({ currentTarget }) => set('email', currentTarget.value)}
        data-autofocus
      />
      <RoleInput value={values.role} onChange={(role) => set('role', role)} />
    </FormDialog>
  );
}
