/** Error of a file that cannot be imported. Its message is shown to the person who imports the file. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/** Yields the same items. A failure is thrown as the error that `as` returns for it. */
export async function* rethrown<Item>(
  items: AsyncIterable<Item>,
  as: (cause: unknown) => unknown,
): AsyncGenerator<Item, void, void> {
  try {
    yield* items;
  } catch (cause) {
    throw as(cause);
  }
}
