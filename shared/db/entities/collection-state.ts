import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { table } from '../columns.ts';

/**
 * Version and public record count of each collection of a site. Triggers count them in the transaction of every write,
 * raw SQL included. Nothing else writes them.
 */
export const CollectionState = defineEntity({
  name: 'collection_state',
  tableName: 'collection_state',
  view: true,
  // The view is created by a migration.
  expression: 'select site_id, collection, version, public_count from collection_changes',
  properties: {
    site_id: p.text().primary(),
    collection: p.text().primary(),
    version: p.bigint('number'),
    public_count: p.integer(),
  },
});

/** Rows whose sum is the collection state. Concurrent writers add to different slots. */
export const CollectionChanges = table('collection_changes', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  version: p.bigint('number'),
  public_count: p.integer(),
  slot: p.integer().primary(),
});

/**
 * SQL that reads one collection's state in fewer steps than the view. Both values are null if nothing was ever written
 * to it.
 */
export const selectCollectionState = (siteId: unknown, collection: unknown) => sql`
  select sum(version)::bigint as version, sum(public_count)::integer as public_count
  from collection_changes where site_id = ${siteId} and collection = ${collection}`;
