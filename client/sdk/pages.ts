import type { CallOptions, EventLog, EventOf, Given, NamedEvent, Query } from './api-client.ts';
import type { LoggedEvent } from './contract.ts';
import type { SparseInput, SparseNames, SparseOutput } from './sparse.ts';

/** Every event of that name in the log, newest first, or oldest first from `since` on. */
export function pages<Input extends CursorInput, Output extends EventLog, const Name extends EventOf<Input>>(
  poll: Query<Input, Output>,
  input: NamedEvent<Input, Name>,
  options?: CallOptions,
): AsyncGenerator<Extract<LoggedEvent, { event: Name }>, void, undefined>;

/**
 * Every record of a list that comes in pages, in the list's order. A page is fetched when its first record is asked
 * for, so a loop that ends early costs no more than it read; `limit`, or `per_page`, is the size of a page. In a list
 * with page numbers, records that are written meanwhile move others to the next page or the one before.
 *
 *     for await (const post of pages(client.v1.posts.list, { sort: 'title' })) console.log(post.title);
 */
export function pages<
  Input extends CursorInput | NumberInput | undefined,
  Output extends CursorPage | NumberedPage,
  const Fields extends readonly SparseNames<Input>[] | undefined = undefined,
>(
  list: Query<Input, Output>,
  ...given: Given<Input, SparseInput<Input, Fields>>
): AsyncGenerator<ItemOf<SparseOutput<Output, Fields>>, void, undefined>;

export async function* pages(
  list: Query<object, Page>,
  input?: object,
  options?: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  let next: Next | null = {};
  while (next) {
    const page: Page = await list.query({ ...input, ...next }, options);
    const items: unknown[] = Object.values<unknown>(page).find(Array.isArray) ?? [];
    yield* items;
    next = items.length > 0 ? nextOf(page) : null;
  }
}

type Page = Partial<CursorPage & NumberedPage>;
type Next = CursorInput | NumberInput;

function nextOf({ next_cursor, page, per_page, total }: Page): Next | null {
  if (next_cursor) return { cursor: next_cursor };
  if (page === undefined || per_page === undefined || total === undefined) return null;
  return page * per_page < total ? { page: page + 1 } : null;
}

interface CursorInput {
  cursor?: string | undefined;
}

interface NumberInput {
  page?: number | undefined;
}

interface CursorPage {
  next_cursor?: string | undefined;
}

interface NumberedPage {
  page: number;
  per_page: number;
  total: number;
}

/** A page has one list: `data` or `items`. */
type ItemOf<Output> = {
  [Key in keyof Output]-?: Output[Key] extends (infer Item)[] ? Item : never;
}[keyof Output];
