import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { type FramedForm, useFormFrame } from '../fields/use-form-frame.ts';
import { UploadingScope } from '../media/uploading.tsx';
import { texts } from '../texts/texts.ts';
import { FormAlerts } from './form-alerts.tsx';
import classes from './form-dialog.module.css';

interface PageFormProps {
  form: FramedForm;
  children: ReactNode;
}

/** A form that is a screen of its own. */
export const PageForm = (props: PageFormProps) => (
  <UploadingScope>
    <Framed {...props} />
  </UploadingScope>
);

function Framed({ form, children }: PageFormProps) {
  const frame = useFormFrame(form);
  return (
    <form {...frame.props}>
      <Stack gap="lg">
        <fieldset className={classes.fields} disabled={form.isFixed}>
          {children}
        </fieldset>
        <FormAlerts form={form} />
        <Group>
          <Button type="submit" loading={form.isSending}>
            {texts.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
