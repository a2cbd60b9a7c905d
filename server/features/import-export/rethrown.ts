/** The same items; what fails is thrown as what `as` makes of it. */
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
