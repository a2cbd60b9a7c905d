import { useRef } from 'react';

/** Does one thing after the other, each once those before it have ended: also when the screen is gone by then. */
export function useTurns() {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const left = useRef(0);
  return {
    /** Whether anything is under way or waits for its turn. */
    isBusy: () => left.current > 0,
    inTurn: <Result>(work: () => Promise<Result>): Promise<Result> => {
      left.current++;
      const turn = last.current.then(work).finally(() => {
        left.current--;
      });
      last.current = turn.catch(() => undefined);
      return turn;
    },
  };
}
