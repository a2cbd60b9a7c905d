import { codeOf } from '../texts/errors.ts';

/**
 * Does something with each of several, one after the other. Where one is refused for a reason of its own, the others are done
 * all the same; what fails in any other way ends it. Gives what was done, and why the others were not.
 */
export async function oneByOne<Item, Done>(items: readonly Item[], work: (item: Item) => Promise<Done>) {
  const done: Done[] = [];
  let failure: unknown = null;
  for (const item of items) {
    try {
      done.push(await work(item));
    } catch (error) {
      failure ??= error;
      if (!isOfOne(error)) break;
    }
  }
  return { done, left: items.length - done.length, failure };
}

const isOfOne = (error: unknown) =>
  ['precondition_failed', 'not_found', 'validation_failed'].includes(codeOf(error) ?? '');
