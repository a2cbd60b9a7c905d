import { p } from '@mikro-orm/core';
import { bookkeeping, isPublic, sitePrimaryKey, table } from '../columns.ts';

/** An old address of a site. It leads to `to`, or where that is empty to a record, while readers see it. */
export const RedirectEntity = table(
  'redirects',
  {
    ...sitePrimaryKey,
    /** Both as `canonicalPath` and `canonicalTarget` write them. */
    from: p.text(),
    to: p.text(),
    permanent: p.boolean(),
    /** Empty where it leads to an address. */
    collection: p.text(),
    record_id: p.text(),
    is_public: isPublic('true'),
    ...bookkeeping,
  },
  { name: 'redirects_from_key', properties: ['site_id', 'from'] },
);
