import { createSafeContext } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { texts } from '../strings/texts.ts';
import { useQuestionDialog } from './confirm.tsx';

/** What somebody loses by going on; the question about it is in the texts. */
export type Loss = keyof typeof texts.leaving;

/** Of several the first of these is asked about. */
const worstFirst: readonly Loss[] = ['typed', 'sending', 'uploading'];

const worstOf = (held: readonly Loss[]) => worstFirst.find((loss) => held.includes(loss));

interface Leaving {
  /** Whether somebody is being asked just now. */
  isAsking: boolean;
  /** Resolves to whether somebody agrees to lose it: at once when there is nothing to lose. */
  agreeTo(loss: Loss | null | undefined): Promise<boolean>;
  /** The same for everything that leaving the screen would lose. */
  mayLeave(): Promise<boolean>;
  /** Asks before the screen is left until what it returns is called. */
  hold(loss: Loss): () => void;
}

/** A question that is open. */
interface Question {
  loss: Loss;
  /** Whether it is asked because somebody goes back or forward: the address has changed by then. */
  isTravel: boolean;
  settle(agrees: boolean): void;
}

const [LeavingContext, useLeaving] = createSafeContext<Leaving>('no LeavingProvider above');

export { useLeaving };

/** Asks before anything is lost by leaving a screen: by a link, by going back, by signing out, by closing the tab. */
export function LeavingProvider({ children }: { children: ReactNode }) {
  const [held, setHeld] = useState<readonly { loss: Loss }[]>([]);
  const losses = useMemo(() => held.map(({ loss }) => loss), [held]);
  const hold = useCallback((loss: Loss) => {
    const own = { loss };
    setHeld((current) => [...current, own]);
    return () => setHeld((current) => current.filter((other) => other !== own));
  }, []);
  const { put, forgetTravel, isAsking, dialog } = useQuestion(losses);
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
    () => ({ isAsking, hold, agreeTo, mayLeave: () => agreeTo(worstOf(losses)) }),
    [isAsking, hold, agreeTo, losses],
  );
  return (
    <LeavingContext value={leaving}>
      {children}
      {dialog}
    </LeavingContext>
  );
}

/** The question of the moment: there is one at most. */
function useQuestion(losses: readonly Loss[]) {
  const { ask, close, isAsking, dialog } = useQuestionDialog();
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
      ask({ ...texts.leaving[next.loss], run: async () => end(true), onCancel: () => end(false) });
    },
    [ask, end],
  );
  const put = useCallback(
    (loss: Loss | null | undefined, isTravel: boolean) => {
      if (!loss) return Promise.resolve(true);
      // Whoever was asked before has not agreed to anything. But each refused step through the history goes back by as
      // much as lies between the screen and its own address: of several only the last one can be right.
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
    // What it was about is saved by now, or has failed to be.
    const next = worstOf(losses);
    if (next) show({ ...open, loss: next });
    else end(true);
  }, [losses, show, end]);
  /** For whoever has gone back to where the screen is: there is nothing to be undone. */
  const forgetTravel = () => {
    if (!question.current?.isTravel) return;
    question.current = null;
    close();
  };
  return { put, forgetTravel, isAsking, dialog };
}

/** Asks before the screen is left as long as there is something to lose. */
export function useHeld(loss: Loss | null) {
  const { hold } = useLeaving();
  useEffect(() => (loss ? hold(loss) : undefined), [loss, hold]);
}
