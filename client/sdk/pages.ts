import type { Given, Query } from './api-client.ts';
import type { SparseInput, SparseNames, SparseOutput } from './sparse.ts';

/**
 * Every record of a list that pages by cursor, in the list's order. A page is fetched when its first record is asked
 * for, so a loop that ends early costs no more than it read; `limit` is the size of a page.
 *
 *     for await (const post of pages(client.v1.posts.list, { sort: 'title' })) console.log(post.title);
 */
export async function* pages<
  Input extends CursorInput | undefined,
  Output extends CursorOutput,
  const Fields extends readonly SparseNames<Input>[] | undefined = undefined,
>(
  list: Query<Input, Output>,
  ...[input, options]: Given<Input, SparseInput<Input, Fields>>
): AsyncGenerator<ItemOf<SparseOutput<Output, Fields>>, void, undefined> {
  // Which query it is, and so what it takes and gives, is known only to the caller.
  const query = list.query as unknown as (input: object, options: unknown) => Promise<CursorOutput>;
  let cursor: string | undefined;
  do {
    const page: CursorOutput = await query({ ...input, ...(cursor && { cursor }) }, options);
    yield* Object.values(page).find(Array.isArray) ?? [];
    cursor = page.next_cursor;
  } while (cursor);
}

interface CursorInput {
  cursor?: string | undefined;
}

interface CursorOutput {
  next_cursor?: string | undefined;
}

/** A page has one list: `data` of records, or `events`. */
type ItemOf<Output> = {
  [Key in keyof Output]-?: Output[Key] extends (infer Item)[] ? Item : never;
}[keyof Output];
