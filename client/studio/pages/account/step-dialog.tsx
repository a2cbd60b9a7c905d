import { Button, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../../texts/texts.ts';
import { Problem } from '../../ui/problem.tsx';
import { SubmitForm } from '../../ui/submit-form.tsx';

interface StepDialogProps {
  title: string;
  /** What the button says that goes on. */
  action: string;
  isPending: boolean;
  problem: string | null;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

/** One step of something that takes a few, or the only one. */
export function StepDialog({
  title,
  action,
  isPending,
  problem,
  onSubmit,
  onClose,
  children,
}: StepDialogProps) {
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <SubmitForm onSubmit={onSubmit}>
        {children}
        <Problem>{problem}</Problem>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Group>
      </SubmitForm>
    </Modal>
  );
}
