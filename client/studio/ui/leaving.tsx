import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useConfirm } from './confirm.tsx';

/** What somebody loses by going on, in the words of the question about it. */
export interface Loss {
  title: string;
  lead: string;
  action: string;
}

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

const LeavingContext = createContext<Leaving | null>(null);

/** Asks before anything is lost by leaving a screen: by a link, by going back, by signing out, by closing the tab. */
export function LeavingProvider({ children }: { children: ReactNode }) {
  const [held, setHeld] = useState<readonly Loss[]>([]);
  const { ask, isAsking, dialog } = useConfirm();
  const answer = useRef<(agrees: boolean) => void>(undefined);
  const hold = useCallback((loss: Loss) => {
    const own = { ...loss };
    setHeld((known) => [...known, own]);
    return () => setHeld((known) => known.filter((other) => other !== own));
  }, []);
  const agreeTo = useCallback(
    (loss: Loss | null | undefined) => {
      if (!loss) return Promise.resolve(true);
      // Whoever was asked before and asks again, as by going back twice, has not agreed to anything.
      answer.current?.(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      answer.current = resolve;
      ask({ ...loss, run: async () => resolve(true), onCancel: () => resolve(false) });
      return promise;
    },
    [ask],
  );
  useBlocker({
    disabled: held.length === 0,
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await agreeTo(held.at(-1))),
  });
  const leaving = useMemo(
    () => ({ isAsking, hold, agreeTo, mayLeave: () => agreeTo(held.at(-1)) }),
    [isAsking, hold, agreeTo, held],
  );
  return (
    <LeavingContext value={leaving}>
      {children}
      {dialog}
    </LeavingContext>
  );
}

export function useLeaving(): Leaving {
  const leaving = useContext(LeavingContext);
  if (!leaving) throw new Error('no LeavingProvider above');
  return leaving;
}

/** Asks before the screen is left as long as there is something to lose. */
export function useHeld(loss: Loss | null) {
  const { hold } = useLeaving();
  useEffect(() => (loss ? hold(loss) : undefined), [loss, hold]);
}
