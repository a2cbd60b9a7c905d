import { Button, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { Problem } from './note.tsx';
import { SubmitForm } from './submit-form.tsx';

interface ActionDialogProps {
  title: string;
  /** Label of the submit button. */
  action: string;
  isPending: boolean;
  isDisabled?: boolean;
  problem?: string | null;
  size?: 'lg';
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

/**
 * Dialog for one action, or one step of several. Close it in the callbacks passed to `mutate`. The mutation's own
 * `onSuccess` also runs after this dialog is gone, and might close another one.
 */
export function ActionDialog({
  title,
  action,
  problem,
  onSubmit,
  onClose,
  children,
  ...how
}: ActionDialogProps) {
  const { isPending, isDisabled = false, size = 'md' } = how;
  return (
    <Modal opened onClose={onClose} title={title} size={size} closeOnClickOutside={false}>
      <SubmitForm onSubmit={onSubmit}>
        {children}
        <Problem>{problem}</Problem>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {strings.common.cancel}
          </Button>
          <Button type="submit" loading={isPending} disabled={isDisabled}>
            {action}
          </Button>
        </Group>
      </SubmitForm>
    </Modal>
  );
}
