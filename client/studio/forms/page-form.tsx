import { Button, Group, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { commandKeyLabel } from '../ui/use-command-key.ts';
import { FormBody } from './form-body.tsx';
import classes from './page-form.module.css';
import { UploadingScope } from './uploading.tsx';
import { type FormState, useFormElement } from './use-form-element.ts';

interface PageFormProps {
  form: FormState;
  children: ReactNode;
}

/** A form that is a screen of its own. */
export const PageForm = (props: PageFormProps) => (
  <UploadingScope>
    <Body {...props} />
  </UploadingScope>
);

function Body({ form, children }: PageFormProps) {
  const element = useFormElement(form);
  const actions = (
    <Group>
      <Tooltip label={commandKeyLabel('S')}>
        <Button type="submit" loading={form.isSending} aria-keyshortcuts="Control+S">
          {texts.common.save}
        </Button>
      </Tooltip>
    </Group>
  );
  return (
    <FormBody form={form} element={element} gap="lg" actions={actions} footClassName={classes.foot}>
      {children}
    </FormBody>
  );
}
