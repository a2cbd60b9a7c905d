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

/** Every event of that name in the log, newest first, or oldest first from `since` on. */
export function pages<Input extends object, Output extends EventLog, const Name extends EventOf<Input>>(
  poll: Query<Input, Output>,
  input: NamedEvent<Input, Name>,
  options?: CallOptions,
): AsyncGenerator<Extract<LoggedEvent, { event: Name }>, void, undefined>;

/**
 * Every record of a list, in the list's order, whether it comes by cursor, in numbered pages or as a whole. A page is
 * fetched when its first record is asked for, so a loop that ends early costs no more than it read; `limit`, or
 * `per_page`, is the size of a page. In a list with page numbers, records that are written meanwhile move others to the
 * next page or the one before.
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

/** What to ask for besides; null after the last page, and for a list that comes as a whole. */
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
