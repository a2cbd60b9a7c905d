import { defineEntity, p } from '@mikro-orm/core';
import { bookkeeping, isPublic, sitePrimaryKey } from '../columns.ts';

/** An old address of a site. It leads to `to`, or where that is empty to a record, while readers see it. */
export const RedirectEntity = defineEntity({
  name: 'redirects',
  tableName: 'redirects',
  properties: {
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
  uniques: [{ name: 'redirects_from_key', properties: ['site_id', 'from'] }],
});
