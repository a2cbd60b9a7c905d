/** Key of a record's entity tag. Copies of the package share it, and loops over fields do not find it. */
const etag = Symbol.for('creator-content-client.etag');

/**
 * Returns the entity tag of a record, for `ifMatch` of a write that must not overwrite other changes. Throws a TypeError if
 * the tag is not known.
 *
 * The tag is known for records read with `{ etag: true }` and for results of `create` and `update`, but not for copies of
 * them. It is also known for `studio` records and their copies, because it is made from `revision`.
 *
 *     const post = await client.v1.posts.get.query({ slug }, { etag: true });
 *     await client.v1.posts.update.mutate({ id: post.id, title: 'Better' }, { ifMatch: etagOf(post) });
 */
export function etagOf(record: object): string {
  const tag: unknown = Reflect.get(record, etag);
  if (typeof tag === 'string') return tag;
  // The service compares the part before the hyphen.
  if ('revision' in record && typeof record.revision === 'number') return `"${record.revision}-"`;
  throw new TypeError(
    'this record has no entity tag: read it with { etag: true }, and pass the returned record itself',
  );
}

/** Stores the entity tag of an answer in its record, and returns the record. */
export const keepEtag = (record: object, tag: string): object =>
  Object.defineProperty(record, etag, { value: tag });
