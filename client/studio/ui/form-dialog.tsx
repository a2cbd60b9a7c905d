import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { type FramedForm, useFormFrame } from '../fields/use-form-frame.ts';
import { UploadingScope } from '../media/uploading.tsx';
import { texts } from '../texts/texts.ts';
import classes from './form-dialog.module.css';

interface FormDialogProps {
  title: string;
  action: string;
  form: FramedForm;
  /** Whether a question of its own stands in front of it, which Escape belongs to. */
  isCovered?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** A form in front of the screen that it belongs to. */
export const FormDialog = (props: FormDialogProps) => (
  <UploadingScope>
    <Framed {...props} />
  </UploadingScope>
);

function Framed({ title, action, form, isCovered = false, onClose, children }: FormDialogProps) {
  const frame = useFormFrame(form);
  const leave = () => void frame.leave(onClose);
  return (
    <Modal
      opened
      onClose={leave}
      closeOnEscape={!isCovered && !frame.isAsking}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <form {...frame.props}>
        <Stack gap="md">
          {children}
          {form.failure && (
            <Alert color="red" role="alert">
              {form.failure}
            </Alert>
          )}
          <Group className={classes.actions} justify="flex-end" gap="xs">
            <Button variant="default" onClick={leave}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={form.isSending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
