import type {
  EventLog,
  EventOf,
  Given,
  NamedEvent,
  Query,
  SparseInput,
  SparseNames,
  SparseOutput,
} from './api-client.ts';
import type { CallOptions } from './client-options.ts';
import type { LoggedEvent } from './contract.ts';

/**
 * Yields the logged events of one name, fetched page by page. The newest comes first; with the time `since`, the oldest from
 * then on. Rejects with the error of `poll`.
 */
export function pages<Input extends object, Output extends EventLog, const Name extends EventOf<Input>>(
  poll: Query<Input, Output>,
  input: NamedEvent<Input, Name>,
  options?: CallOptions,
): AsyncGenerator<Extract<LoggedEvent, { event: Name }>, void, undefined>;

/**
 * Yields every record of a list, in the list's order; the list may have a cursor, numbered pages or a single page.
 *
 * A page is fetched when its first record is needed, so a loop that ends early reads no more. `limit` or `per_page` sets the
 * size of a page. In a list with numbered pages, records written during the loop can shift others to a neighboring page.
 *
 *     for await (const post of pages(client.v1.posts.list, { sort: 'title' })) console.log(post.title);
 */
export function pages<
  Input,
  Output extends List,
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
  let next: object | null = {};
  while (next) {
    const page: Page = await list.query({ ...input, ...next }, options);
    const items = page.data ?? page.items ?? page.events ?? [];
    yield* items;
    next = items.length > 0 ? nextOf(page) : null;
  }
}

/** Returns the parameters of the next page; null after the last page, and for a list with a single page. */
function nextOf({ next_cursor, page, per_page, total }: Page): object | null {
  if (next_cursor) return { cursor: next_cursor };
  if (page === undefined || per_page === undefined || total === undefined) return null;
  return page * per_page < total ? { page: page + 1 } : null;
}

/** Every list has its records under one of three names. */
type List = Required<Pick<Page, 'data'>> | Required<Pick<Page, 'items'>> | Required<Pick<Page, 'events'>>;

interface Page {
  data?: unknown[];
  items?: unknown[];
  events?: unknown[];
  next_cursor?: string | undefined;
  page?: number;
  per_page?: number;
  total?: number;
}

type ItemOf<Output> = {
  [Key in keyof Output]-?: Output[Key] extends (infer Item)[] ? Item : never;
}[keyof Output];
