import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import classes from './form-dialog.module.css';

interface FormDialogProps {
  title: string;
  action: string;
  isOpen: boolean;
  isSending: boolean;
  failure: string | null;
  onSubmit(event: FormEvent): void;
  onClose(): void;
  children: ReactNode;
}

/** A form in front of the screen that it belongs to. */
export function FormDialog({ title, action, isOpen, isSending, failure, ...rest }: FormDialogProps) {
  const { onSubmit, onClose, children } = rest;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          {children}
          {failure && (
            <Alert color="red" role="alert">
              {failure}
            </Alert>
          )}
          <Group className={classes.actions} justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={isSending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
