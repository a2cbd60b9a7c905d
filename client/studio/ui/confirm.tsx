import { Button, createSafeContext, Group, getDefaultZIndex, Modal, Stack } from '@mantine/core';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { Note } from './note.tsx';
import { toast, toastError } from './toast.tsx';

interface Question {
  title: string;
  lead: ReactNode;
  /** Label of the button that confirms. */
  action: string;
  run(): Promise<unknown>;
  /** Key of the queries to refetch afterwards. */
  refreshes?: QueryKey;
  /** Text of the toast afterwards. */
  done?: string;
  /** True if the action loses nothing, so that the button is not red. */
  isWanted?: true;
  /** Called if the user cancels. */
  onCancel?(): void;
}

/** Z-index of a confirmation, in front of any dialog that opened it. */
const inFront = Number(getDefaultZIndex('modal')) + 1;

interface ConfirmState {
  confirm(question: Question): void;
  /** Closes the question without an answer. */
  close(): void;
  /** True while a question is open. */
  isOpen: boolean;
}

const [ConfirmContext, useConfirmContext] = createSafeContext<ConfirmState>('no ConfirmProvider above');

export { useConfirmContext };

/** Provider of the confirmation dialog; only one question is open at a time. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const { dialog, confirm, close, isOpen } = useQuestionDialog();
  const confirming = useMemo(() => ({ confirm, close, isOpen }), [confirm, close, isOpen]);
  return (
    <ConfirmContext value={confirming}>
      {children}
      {dialog}
    </ConfirmContext>
  );
}

/** Returns a function that asks before an irreversible action. The question closes when the calling component unmounts. */
export function useConfirm() {
  const { confirm, close } = useConfirmContext();
  useEffect(() => close, [close]);
  return confirm;
}

/** Returns a separate confirmation dialog, in front of all others. Render `dialog` and call `ask`. */
export function useQuestionDialog() {
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const cancel = () => {
    close();
    question?.onCancel?.();
  };
  const carryOut = async ({ run, refreshes, done }: Question) => {
    const refresh = () => refreshes && queries.invalidateQueries({ queryKey: refreshes });
    try {
      await run();
    } catch (error) {
      void refresh();
      throw error;
    }
    await refresh();
    if (done !== undefined) toast(done);
  };
  const latest = useRef<Question>(null);
  const run = async () => {
    if (!question) return;
    setRunning(true);
    const isDone = await carryOut(question).then(() => true, toastError);
    // Another question may have opened while the action ran, and stays open.
    if (latest.current !== question) return;
    setRunning(false);
    if (isDone) close();
  };
  const confirm = useCallback((next: Question) => {
    latest.current = next;
    setQuestion(next);
    setRunning(false);
    setOpen(true);
  }, []);
  return {
    confirm,
    close,
    isOpen,
    dialog: (
      <Modal
        opened={isOpen}
        onClose={cancel}
        title={question?.title}
        withCloseButton={false}
        zIndex={inFront}
        // A dialog behind this one also receives the key, and must not close.
        closeOnEscape={false}
        onKeyDown={({ key }) => key === 'Escape' && cancel()}
      >
        <Stack>
          <Note>{question?.lead}</Note>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={cancel} data-autofocus>
              {strings.common.cancel}
            </Button>
            <Button {...(!question?.isWanted && { color: 'red.8' })} loading={isRunning} onClick={run}>
              {question?.action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    ),
  };
}
