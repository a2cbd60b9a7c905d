import { Alert, Button, Group, Modal, Stack, Tooltip } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { useConfirmContext } from '../ui/confirm.tsx';
import { type Loss, useHeld, useLeaveGuard } from '../ui/leave-guard.tsx';
import { later } from '../ui/load-on-use.tsx';
import { Problem } from '../ui/note.tsx';
import { toastReason } from '../ui/toast.tsx';
import { commandKeyLabel, submitByKeys } from '../ui/use-command-key.ts';
import { UploadingScope, useUploading } from './form-context.tsx';
import classes from './form-dialog.module.css';
import pageClasses from './page-form.module.css';
import type { Conflict } from './use-form.ts';

const ConflictDialog = later(() => import('./conflict-dialog.tsx'));

/** State of a form, as its views need it. */
interface FormState {
  isSending: boolean;
  /** Error that does not belong to a field. */
  failure: string | null;
  /** True if it has edits that are neither sent nor in flight. */
  isChanged: boolean;
  conflict?: Conflict | null;
  /** True if a request was sent and its outcome is unknown. */
  isUnanswered?: boolean;
  /** True if inputs are disabled until the outcome is known. */
  isFixed?: boolean;
  /** Number of refusals since the form was opened. */
  refusals: number;
  submit(): void;
}

/**
 * Returns the props of a form element with the behavior of all forms. It focuses the first refused field, and asks before
 * unsaved values or uploads are lost.
 */
export function useFormElement({ isSending, isChanged, refusals, submit }: FormState) {
  const element = useProblemFocus<HTMLFormElement>(refusals);
  const sending: Loss | null = isSending ? 'sending' : null;
  const own = isChanged ? 'typed' : sending;
  useHeld(own);
  const { isUploading } = useUploading();
  const { isOpen: isConfirming, agreeTo } = useLeaveGuard();
  return {
    isAsking: isConfirming,
    props: {
      ref: element,
      noValidate: true,
      onKeyDown: submitByKeys,
      onSubmit: async (event: FormEvent) => {
        event.preventDefault();
        if (await agreeTo(isUploading ? 'saving' : null)) submit();
      },
    },
    /** Calls `then`, after confirmation if values or uploads would be lost. */
    leave: async (then: () => void) => {
      if (await agreeTo(own ?? (isUploading ? 'uploading' : null))) then();
    },
  };
}

/**
 * Selector of a field with a problem. A group of checkboxes has no `aria-invalid`, so its error message is matched instead.
 */
const problem = '[aria-invalid="true"], [id$="-error"]';
const input = 'input:not([type="hidden"])';

/**
 * Focuses the first field with a problem after each refusal, and shows a toast. Returns the ref of the element to search.
 */
export function useProblemFocus<E extends HTMLElement>(refusals: number) {
  const container = useRef<E>(null);
  useEffect(() => {
    const found = refusals > 0 ? container.current?.querySelector<HTMLElement>(problem) : undefined;
    if (!found) return;
    const field = found.ariaInvalid
      ? found
      : (found.parentElement?.querySelector<HTMLElement>(input) ?? found);
    field.scrollIntoView({ block: 'center' });
    field.focus({ preventScroll: true });
    toastReason(strings.errors.byCode.validation_failed);
  }, [refusals]);
  return container;
}

interface FormBodyProps {
  form: FormState;
  element: ReturnType<typeof useFormElement>;
  gap: 'md' | 'lg';
  children: ReactNode;
  actions: ReactNode;
  /** Class of the element around the alerts and buttons. */
  footClassName?: string | undefined;
}

/** Form element with its inputs, alerts and buttons. */
export const FormBody = ({ form, element, gap, children, actions, footClassName }: FormBodyProps) => (
  <form {...element.props}>
    <Stack gap={gap}>
      <fieldset className={classes.fields} disabled={form.isFixed}>
        {children}
      </fieldset>
      <Stack gap={gap} className={footClassName}>
        <Problem>{form.failure}</Problem>
        {form.isUnanswered && (
          <Alert color="yellow" role="status">
            {strings.forms.unanswered}
          </Alert>
        )}
        {form.conflict && <ConflictDialog conflict={form.conflict} />}
        {actions}
      </Stack>
    </Stack>
  </form>
);

interface FormDialogProps {
  title: string;
  action: string;
  form: FormState;
  onClose(): void;
  children: ReactNode;
}

export const FormDialog = (props: FormDialogProps) => (
  <UploadingScope>
    <Dialog {...props} />
  </UploadingScope>
);

function Dialog({ title, action, form, onClose, children }: FormDialogProps) {
  const element = useFormElement(form);
  // If a question is open in front of this dialog, Escape closes only the question.
  const isCovered = useConfirmContext().isOpen || element.isAsking || Boolean(form.conflict);
  useFocusGivenBack();
  const leave = () => void element.leave(onClose);
  const actions = (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={leave}>
        {strings.common.cancel}
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

/**
 * Returns the focus to the element that opened the dialog. Mantine does this only if the dialog stays mounted, and this one
 * unmounts.
 */
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

interface PageFormProps {
  form: FormState;
  children: ReactNode;
}

export const PageForm = (props: PageFormProps) => (
  <UploadingScope>
    <PageBody {...props} />
  </UploadingScope>
);

function PageBody({ form, children }: PageFormProps) {
  const element = useFormElement(form);
  const actions = (
    <Group>
      <Tooltip label={commandKeyLabel('S')}>
        <Button type="submit" loading={form.isSending} aria-keyshortcuts="Control+S">
          {strings.common.save}
        </Button>
      </Tooltip>
    </Group>
  );
  return (
    <FormBody form={form} element={element} gap="lg" actions={actions} footClassName={pageClasses.foot}>
      {children}
    </FormBody>
  );
}
