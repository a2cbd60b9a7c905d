import { defineEntity, p } from '@mikro-orm/core';

/**
 * One row per site and collection. Triggers raise its version and keep its count in the transaction of every write, raw
 * SQL included; nothing else writes it.
 */
export const CollectionState = defineEntity({
  name: 'collection_state',
  tableName: 'collection_state',
  properties: {
    site_id: p.text().primary(),
    collection: p.text().primary(),
    version: p.bigint('number'),
    public_count: p.integer(),
  },
});
