import { type RawBuilder, sql } from 'kysely';
import { names } from '../content/records.ts';
import { type Fields, unsetValues } from '../contract/fields.ts';
import { allResources } from '../contract/resources/index.ts';
import { columnsOf } from '../db/entities/content.ts';

/**
 * SQL that stores records again that are kept as JSON, up to its `where`. Fields that are newer than these are unset.
 * `content` is SQL of the value of that column where the JSON lacks it.
 */
export function storedFrom(
  collection: string,
  {
    source,
    record,
    content,
  }: Record<'source' | 'record', RawBuilder<unknown>> & { content?: RawBuilder<unknown> },
) {
  const columns = columnsOf(collection);
  const values = columns.map((column) => {
    const value = sql.ref(`r.${column}`);
    return content && column === 'content' ? sql`coalesce(${content}, ${value})` : value;
  });
  const unset = JSON.stringify(unsetValues(resourceOf(collection).fields));
  return sql`
    insert into ${sql.table(collection)} (${names(columns)})
    select ${sql.join(values)} ${source},
      jsonb_populate_record(null::${sql.table(collection)}, ${unset}::jsonb || (${record})) as r`;
}

function resourceOf(collection: string): { fields: Fields } {
  const resource = Object.values(allResources).find((item) => item.collection === collection);
  if (!resource) throw new Error(`no collection is named ${collection}`);
  return resource;
}
