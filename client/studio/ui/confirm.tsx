import { Button, createSafeContext, Group, getDefaultZIndex, Modal, Stack } from '@mantine/core';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { texts } from '../strings/texts.ts';
import { Note } from './notes.tsx';
import { toast, toastError } from './toast.tsx';

interface Question {
  title: string;
  lead: ReactNode;
  /** What the button says that does it. */
  action: string;
  run(): Promise<unknown>;
  /** What shows what it changes, and is asked for again. */
  refreshes?: QueryKey;
  /** What is said once it is done. */
  done?: string;
  /** Whether it is what somebody came for, and nothing is lost by it. */
  isWanted?: true;
  /** When it is not done after all. */
  onCancel?(): void;
}

/** It may be asked from within another dialog. */
const inFront = Number(getDefaultZIndex('modal')) + 1;

interface Confirming {
  ask(question: Question): void;
  /** Takes the question away without an answer. */
  close(): void;
  /** Whether one is asked just now. */
  isAsking: boolean;
}

const [ConfirmContext, useConfirming] = createSafeContext<Confirming>('no ConfirmProvider above');

export { useConfirming };

/** Around screens that ask questions: there is one at a time. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const { dialog, ask, close, isAsking } = useQuestionDialog();
  const confirming = useMemo(() => ({ ask, close, isAsking }), [ask, close, isAsking]);
  return (
    <ConfirmContext value={confirming}>
      {children}
      {dialog}
    </ConfirmContext>
  );
}

/** Gives what asks before something is done that can't be taken back. The question goes with what has asked it. */
export function useConfirm() {
  const { ask, close } = useConfirming();
  useEffect(() => close, [close]);
  return ask;
}

/** A question of its own, in front of all others. Render `dialog`; call `ask`. */
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
    // Somebody may have gone on meanwhile, and been asked something else.
    if (latest.current !== question) return;
    setRunning(false);
    if (isDone) close();
  };
  const ask = useCallback((next: Question) => {
    latest.current = next;
    setQuestion(next);
    setRunning(false);
    setOpen(true);
  }, []);
  return {
    ask,
    close,
    isAsking: isOpen,
    dialog: (
      <Modal
        opened={isOpen}
        onClose={cancel}
        title={question?.title}
        withCloseButton={false}
        zIndex={inFront}
        // A dialog behind it hears of each key, too, and is not to go by one that was meant for this one.
        closeOnEscape={false}
        onKeyDown={({ key }) => key === 'Escape' && cancel()}
      >
        <Stack>
          <Note>{question?.lead}</Note>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={cancel} data-autofocus>
              {texts.common.cancel}
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
