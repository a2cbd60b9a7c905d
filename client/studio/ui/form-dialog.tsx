import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { type FramedForm, useFormFrame } from '../fields/use-form-frame.ts';
import { UploadingScope } from '../media/uploading.tsx';
import { texts } from '../texts/texts.ts';
import { FormAlerts } from './form-alerts.tsx';
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
  useFocusGivenBack();
  const leave = () => void frame.leave(onClose);
  return (
    <Modal
      opened
      onClose={leave}
      closeOnEscape={!isCovered && !frame.isAsking && !form.conflict}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <form {...frame.props}>
        <Stack gap="md">
          <fieldset className={classes.fields} disabled={form.isFixed}>
            {children}
          </fieldset>
          <FormAlerts form={form} />
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

/** Goes back to where the dialog was opened. Mantine does so only where a dialog stays and is closed, and this one goes. */
function useFocusGivenBack() {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const isLost = document.activeElement === document.body;
      if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    },
    [opener],
  );
}
