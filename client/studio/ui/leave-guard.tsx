import { createSafeContext } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { useQuestionDialog } from './confirm.tsx';

/** Reason to ask before leaving; each has its question in the UI strings. */
export type Loss = keyof typeof strings.leaving;

/** Reasons in order of precedence: the question is about the first one present. */
const worstFirst: readonly Loss[] = ['typed', 'sending', 'uploading'];

const worstOf = (held: readonly Loss[]) => worstFirst.find((loss) => held.includes(loss));

interface LeaveGuard {
  /** True while a question is open. */
  isOpen: boolean;
  /** Asks for consent to one loss. Resolves to true if the user agrees, or immediately if there is nothing to lose. */
  agreeTo(loss: Loss | null | undefined): Promise<boolean>;
  /** Asks for consent to everything that leaving the screen would lose. */
  mayLeave(): Promise<boolean>;
  /** Registers a loss. Until the returned function is called, leaving the screen asks first. */
  hold(loss: Loss): () => void;
}

/** The open question. */
interface Question {
  loss: Loss;
  /** True for Back and Forward, where the address has changed already. */
  isTravel: boolean;
  settle(agrees: boolean): void;
}

const [LeavingContext, useLeaveGuard] = createSafeContext<LeaveGuard>('no LeavingProvider above');

export { useLeaveGuard };

/**
 * Provider that asks before a screen with unsaved values is left.
 *
 * Forms register a reason while they have unsaved edits, a request in flight or a running upload. Links, Back and Forward,
 * sign-out and closing the tab then need the user's consent. An open question follows its reason: if that ends, the question
 * changes to the next reason, or the navigation continues.
 */
export function LeavingProvider({ children }: { children: ReactNode }) {
  const [held, setHeld] = useState<readonly { loss: Loss }[]>([]);
  const losses = useMemo(() => held.map(({ loss }) => loss), [held]);
  const hold = useCallback((loss: Loss) => {
    const own = { loss };
    setHeld((current) => [...current, own]);
    return () => setHeld((current) => current.filter((other) => other !== own));
  }, []);
  const { put, forgetTravel, isOpen, dialog } = useQuestion(losses);
  const agreeTo = useCallback((loss: Loss | null | undefined) => put(loss, false), [put]);
  useBlocker({
    disabled: held.length === 0,
    shouldBlockFn: async ({ action, current, next }) => {
      const isTravel = action !== 'PUSH' && action !== 'REPLACE';
      if (current.pathname !== next.pathname) return !(await put(worstOf(losses), isTravel));
      if (isTravel) forgetTravel();
      return false;
    },
  });
  const leaving = useMemo(
    () => ({ isOpen, hold, agreeTo, mayLeave: () => agreeTo(worstOf(losses)) }),
    [isOpen, hold, agreeTo, losses],
  );
  return (
    <LeavingContext value={leaving}>
      {children}
      {dialog}
    </LeavingContext>
  );
}

/** Returns the state of the single open question. */
function useQuestion(losses: readonly Loss[]) {
  const { confirm, close, isOpen, dialog } = useQuestionDialog();
  const question = useRef<Question>(null);
  const end = useCallback(
    (agrees: boolean) => {
      const open = question.current;
      question.current = null;
      close();
      open?.settle(agrees);
    },
    [close],
  );
  const show = useCallback(
    (next: Question) => {
      question.current = next;
      confirm({ ...strings.leaving[next.loss], run: async () => end(true), onCancel: () => end(false) });
    },
    [confirm, end],
  );
  const put = useCallback(
    (loss: Loss | null | undefined, isTravel: boolean) => {
      if (!loss) return Promise.resolve(true);
      // An earlier question counts as refused. The exception is Back or Forward twice: each refusal restores the screen's
      // address by the whole distance, so only the last question may be refused.
      if (!(isTravel && question.current?.isTravel)) question.current?.settle(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      show({ loss, isTravel, settle: resolve });
      return promise;
    },
    [show],
  );
  const before = useRef(losses);
  useEffect(() => {
    const open = question.current;
    const isOver = open && before.current.includes(open.loss) && !losses.includes(open.loss);
    before.current = losses;
    if (!isOver) return;
    // The reason is gone: it was saved or failed.
    const next = worstOf(losses);
    if (next) show({ ...open, loss: next });
    else end(true);
  }, [losses, show, end]);
  /** Closes the question when the user has returned to the screen's own address: nothing needs to be restored. */
  const forgetTravel = () => {
    if (!question.current?.isTravel) return;
    question.current = null;
    close();
  };
  return { put, forgetTravel, isOpen, dialog };
}

/** Asks before leaving the screen while `loss` is set. */
export function useHeld(loss: Loss | null) {
  const { hold } = useLeaveGuard();
  useEffect(() => (loss ? hold(loss) : undefined), [loss, hold]);
}
