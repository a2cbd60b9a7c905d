/** Does one thing after the other, each once those before it have ended: also when the screen is gone by then. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    /** Whether anything is under way or waits for its turn. */
    isBusy: () => count > 0,
    add: <Result>(work: () => Promise<Result>): Promise<Result> => {
      count++;
      const done = last.then(work).finally(() => {
        count--;
      });
      last = done.catch(() => undefined);
      return done;
    },
  };
}

export type Queue = ReturnType<typeof createQueue>;
