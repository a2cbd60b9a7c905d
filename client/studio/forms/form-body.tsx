import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { later } from '../ui/later.tsx';
import { Problem } from '../ui/notes.tsx';
import classes from './form-dialog.module.css';
import type { FormState, useFormElement } from './use-form-element.ts';

const ConflictDialog = later(() => import('./conflict-dialog.tsx'));

interface FormBodyProps {
  form: FormState;
  element: ReturnType<typeof useFormElement>;
  gap: 'md' | 'lg';
  children: ReactNode;
  /** Its buttons. */
  actions: ReactNode;
  /** How buttons stand, with what has to be told beside them. */
  footClassName?: string | undefined;
}

/** A form's inputs, what stands between it and what it was to do, and its buttons. */
export const FormBody = ({ form, element, gap, children, actions, footClassName }: FormBodyProps) => (
  <form {...element.props}>
    <Stack gap={gap}>
      <fieldset className={classes.fields} disabled={form.isFixed}>
        {children}
      </fieldset>
      <Stack gap={gap} className={footClassName}>
        <FormAlerts {...form} />
        {actions}
      </Stack>
    </Stack>
  </form>
);

const FormAlerts = ({ failure, conflict, isUnanswered }: FormState) => (
  <>
    <Problem>{failure}</Problem>
    {isUnanswered && (
      <Alert color="yellow" role="status">
        {texts.forms.unanswered}
      </Alert>
    )}
    {conflict && <ConflictDialog conflict={conflict} />}
  </>
);
