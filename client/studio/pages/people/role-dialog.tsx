import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { nameOf, type StaffMember } from '../../data/people.ts';
import { texts } from '../../texts/texts.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { RoleInput } from './role-input.tsx';

const words = texts.people;

/** Gives somebody another role, from their next click on. */
export function RoleDialog({ person, onClose }: { person: StaffMember; onClose(): void }) {
  const { studio } = useApi();
  const [role, setRole] = useState(person.role);
  const saving = useWrite({
    run: () => studio.people.update.mutate({ id: person.id, role }),
    // All, since one's own may be among them.
    refreshes: [],
    done: () => {
      onClose();
      toast(words.changed(nameOf(person)));
    },
  });
  return (
    <ActionDialog
      title={words.roleOf(nameOf(person))}
      action={texts.common.save}
      isPending={saving.isPending}
      onSubmit={saving.mutate}
      onClose={onClose}
    >
      <RoleInput value={role} onChange={setRole} />
    </ActionDialog>
  );
}
