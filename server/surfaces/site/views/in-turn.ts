import { setImmediate as turn } from 'node:timers/promises';

/** `work` for each of the items, one after the other: between two, the process does what else it has to do. */
export async function inTurn<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) {
    if (done.length > 0) await turn();
    done.push(work(item));
  }
  return done;
}
