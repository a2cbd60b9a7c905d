import { Button, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../strings/texts.ts';
import { Problem } from './notes.tsx';
import { SubmitForm } from './submit-form.tsx';

interface ActionDialogProps {
  title: string;
  /** What the button says that does it. */
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
 * One thing that is chosen or said, and done: or one step of what takes a few. Close it by what `mutate` is given rather than by
 * the mutation's own `onSuccess`: that is also called once it is gone, and another one may stand there by then.
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
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={isPending} disabled={isDisabled}>
            {action}
          </Button>
        </Group>
      </SubmitForm>
    </Modal>
  );
}
