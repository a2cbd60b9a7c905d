import { Button, Group, Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { texts } from '../texts/texts.ts';
import { useConfirming } from '../ui/confirm.tsx';
import { FormBody } from './form-body.tsx';
import classes from './form-dialog.module.css';
import { UploadingScope } from './uploading.tsx';
import { type FormState, useFormElement } from './use-form-element.ts';

interface FormDialogProps {
  title: string;
  action: string;
  form: FormState;
  onClose(): void;
  children: ReactNode;
}

/** A form in front of the screen that it belongs to. */
export const FormDialog = (props: FormDialogProps) => (
  <UploadingScope>
    <Dialog {...props} />
  </UploadingScope>
);

function Dialog({ title, action, form, onClose, children }: FormDialogProps) {
  const element = useFormElement(form);
  // A question in front of it has Escape for itself.
  const isCovered = useConfirming().isAsking || element.isAsking || Boolean(form.conflict);
  useFocusGivenBack();
  const leave = () => void element.leave(onClose);
  const actions = (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={leave}>
        {texts.common.cancel}
      </Button>
      <Button type="submit" loading={form.isSending}>
        {action}
      </Button>
    </Group>
  );
  return (
    <Modal opened onClose={leave} closeOnEscape={!isCovered} title={title} size="lg">
      <FormBody form={form} element={element} gap="md" actions={actions} footClassName={classes.actions}>
        {children}
      </FormBody>
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
