import { p } from '@mikro-orm/core';
import { bookkeeping, isPublic, sitePrimaryKey, table } from '../columns.ts';

/**
 * Old path of a site, and its target: the record `record_id` of `collection`, or the path or URL `to` if `collection`
 * is empty. A record is a target only while visitors can read it.
 */
export const RedirectEntity = table(
  'redirects',
  {
    ...sitePrimaryKey,
    /** `from` and `to` are normalized by `canonicalPath` and `canonicalTarget`. */
    from: p.text(),
    to: p.text(),
    permanent: p.boolean(),
    /** Collection of the target record; empty if the target is `to`. */
    collection: p.text(),
    record_id: p.text(),
    is_public: isPublic('true'),
    ...bookkeeping,
  },
  { name: 'redirects_from_key', properties: ['site_id', 'from'] },
);
