import { Alert, Button, Group, Modal, Stack, Tooltip } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { texts } from '../strings/texts.ts';
import { useConfirming } from '../ui/confirm.tsx';
import { later } from '../ui/later.tsx';
import { type Loss, useHeld, useLeaving } from '../ui/leaving.tsx';
import { Problem } from '../ui/notes.tsx';
import { toastReason } from '../ui/toast.tsx';
import { commandKeyLabel, submitByKeys } from '../ui/use-command-key.ts';
import { UploadingScope, useUploading } from './form-context.tsx';
import classes from './form-dialog.module.css';
import pageClasses from './page-form.module.css';
import type { Conflict } from './use-form.ts';

const ConflictDialog = later(() => import('./conflict-dialog.tsx'));

/** How a form stands, for what shows it. */
interface FormState {
  isSending: boolean;
  /** What is wrong with none of the fields. */
  failure: string | null;
  /** Whether it holds what was typed and is neither sent nor being sent. */
  isChanged: boolean;
  conflict?: Conflict | null;
  /** Whether what was sent has no answer yet. */
  isUnanswered?: boolean;
  /** Whether nothing can be typed until there is one. */
  isFixed?: boolean;
  /** How often a field stood in the way. */
  refusals: number;
  submit(): void;
}

/** What every form does wherever it stands: it leads to what was refused, and loses nothing without a question. */
export function useFormElement({ isSending, isChanged, refusals, submit }: FormState) {
  const element = useProblemFocus<HTMLFormElement>(refusals);
  const sending: Loss | null = isSending ? 'sending' : null;
  const own = isChanged ? 'typed' : sending;
  useHeld(own);
  const { isUploading } = useUploading();
  const { isAsking, agreeTo } = useLeaving();
  return {
    isAsking,
    /** For the form's element. */
    props: {
      ref: element,
      noValidate: true,
      onKeyDown: submitByKeys,
      onSubmit: async (event: FormEvent) => {
        event.preventDefault();
        if (await agreeTo(isUploading ? 'saving' : null)) submit();
      },
    },
    /** Calls `then` once nothing is lost by it that somebody has not agreed to lose. */
    leave: async (then: () => void) => {
      if (await agreeTo(own ?? (isUploading ? 'uploading' : null))) then();
    },
  };
}

/** What is wrong stands after its field, so that the field comes first where it says so itself; a group of checkboxes doesn't. */
const problem = '[aria-invalid="true"], [id$="-error"]';
const input = 'input:not([type="hidden"])';

/** After each refusal: leads to the first field within the element of the ref that has a problem, and says that there is one. */
export function useProblemFocus<E extends HTMLElement>(refusals: number) {
  const place = useRef<E>(null);
  useEffect(() => {
    const found = refusals > 0 ? place.current?.querySelector<HTMLElement>(problem) : undefined;
    if (!found) return;
    const field = found.ariaInvalid
      ? found
      : (found.parentElement?.querySelector<HTMLElement>(input) ?? found);
    field.scrollIntoView({ block: 'center' });
    field.focus({ preventScroll: true });
    toastReason(texts.errors.byCode.validation_failed);
  }, [refusals]);
  return place;
}

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

interface PageFormProps {
  form: FormState;
  children: ReactNode;
}

/** A form that is a screen of its own. */
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
          {texts.common.save}
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
