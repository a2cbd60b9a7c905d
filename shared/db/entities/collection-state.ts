import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { table } from '../columns.ts';

/**
 * What the changes of each collection of a site add up to. Triggers count them in the transaction of every write, raw SQL
 * included; nothing else writes it.
 */
export const CollectionState = defineEntity({
  name: 'collection_state',
  tableName: 'collection_state',
  view: true,
  // A migration makes the view.
  expression: 'select site_id, collection, version, public_count from collection_changes',
  properties: {
    site_id: p.text().primary(),
    collection: p.text().primary(),
    version: p.bigint('number'),
    public_count: p.integer(),
  },
});

/** What it is the sum of: writers at once add to different slots. */
export const CollectionChanges = table('collection_changes', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  version: p.bigint('number'),
  public_count: p.integer(),
  slot: p.integer().primary(),
});

/** SQL: one collection as the view has it, in fewer steps; nulls where nobody ever wrote to it. */
export const selectCollectionState = (siteId: unknown, collection: unknown) => sql`
  select sum(version)::bigint as version, sum(public_count)::integer as public_count
  from collection_changes where site_id = ${siteId} and collection = ${collection}`;
