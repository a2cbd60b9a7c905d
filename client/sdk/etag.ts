/** Where an answer keeps its tag: the same in every copy of the package, and nothing that a loop over fields meets. */
const etag = Symbol.for('creator-content-client.etag');

/**
 * The tag of a record as it was read, for `ifMatch` of a write that must not overwrite what somebody else has written
 * since. Known of a record that was read with `{ etag: true }`, of what `create` and `update` gave, and of records of
 * `studio`, which have a `revision`. A copy of a record has none. Throws a TypeError when the tag is not known.
 *
 *     const post = await client.v1.posts.get.query({ slug }, { etag: true });
 *     await client.v1.posts.update.mutate({ id: post.id, title: 'Better' }, { ifMatch: etagOf(post) });
 */
export function etagOf(record: object): string {
  const tag: unknown = Reflect.get(record, etag);
  if (typeof tag === 'string') return tag;
  // The service compares what stands before the minus sign.
  if ('revision' in record && typeof record.revision === 'number') return `"${record.revision}-"`;
  throw new TypeError(
    'this record has no tag: read it with { etag: true }, and ask for the tag of what that gives',
  );
}

/** Keeps the tag that came with an answer. */
export const keepEtag = (record: object, tag: string): object =>
  Object.defineProperty(record, etag, { value: tag });
