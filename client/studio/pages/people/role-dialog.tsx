import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { nameOf, type StaffMember } from '../../data/people.ts';
import { texts } from '../../texts/texts.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { RoleInput } from './role-input.tsx';

const words = texts.people;

/** Gives somebody another role, from their next click on. */
export function RoleDialog({ person, onClose }: { person: StaffMember; onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const [role, setRole] = useState(person.role);
  const saving = useMutation({
    mutationFn: () => studio.people.update.mutate({ id: person.id, role }),
    onSuccess: () => {
      // One's own may be among them.
      void queries.invalidateQueries();
      onClose();
      toast(words.changed(nameOf(person)));
    },
    onError: toastError,
  });
  return (
    <Modal opened onClose={onClose} title={words.roleOf(nameOf(person))}>
      <Stack>
        <RoleInput value={role} onChange={setRole} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button loading={saving.isPending} onClick={() => saving.mutate()}>
            {texts.common.save}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
