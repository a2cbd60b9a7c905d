import { type RawBuilder, sql } from 'kysely';
import { names } from '../content/records.ts';
import { type Fields, unsetValues } from '../contract/fields.ts';
import { allResources } from '../contract/resources/index.ts';
import { columnsOf } from '../db/entities/content.ts';

/** SQL that stores records again that are kept as JSON, up to its `where`. Fields that are newer than these are unset. */
export function storedFrom(collection: string, source: RawBuilder<unknown>, record: RawBuilder<unknown>) {
  const columns = columnsOf(collection);
  const unset = JSON.stringify(unsetValues(resourceOf(collection).fields));
  return sql`
    insert into ${sql.table(collection)} (${names(columns)})
    select ${names(columns.map((column) => `r.${column}`))} ${source},
      jsonb_populate_record(null::${sql.table(collection)}, ${unset}::jsonb || (${record})) as r`;
}

function resourceOf(collection: string): { fields: Fields } {
  const resource = Object.values(allResources).find((item) => item.collection === collection);
  if (!resource) throw new Error(`there is no collection ${collection}`);
  return resource;
}
