import type { EntitySchema } from '@mikro-orm/core';
import type { Fields } from '../../contract/fields.ts';
import { hasDrafts } from '../../contract/resource.ts';
import { curriculumResources, resources } from '../../contract/resources/index.ts';
import { toDate } from '../../contract/timestamps.ts';
import {
  bookkeeping,
  createdBy,
  type FieldColumns,
  fieldColumns,
  isPublic,
  publishAt,
  revision,
  sitePrimaryKey,
  table,
} from '../columns.ts';

/** Stored record of any resource, as the unit of work loads it. */
export interface ContentRow {
  site_id: string;
  id: string;
  created: Date;
  updated: Date;
  revision: number;
  created_by: string | null;
  [field: string]: unknown;
}

/** Table of a resource, derived from its fields. Its indexes and unique slugs are in the migrations. */
const contentEntity = <N extends string, F extends Fields>(collection: N, fields: F) =>
  table(collection, contentColumns(fields));

type ContentColumns<F extends Fields> = typeof sitePrimaryKey &
  FieldColumns<F> & {
    is_public: ReturnType<typeof isPublic>;
    revision: ReturnType<typeof revision>;
    created_by: ReturnType<typeof createdBy>;
  } & typeof bookkeeping;

const contentColumns = <F extends Fields>(fields: F): ContentColumns<F> => ({
  ...sitePrimaryKey,
  ...fieldColumns(fields),
  ...(hasDrafts(fields) && { publish_at: publishAt() }),
  is_public: isPublic(readableWhen(fields)),
  revision: revision(),
  created_by: createdBy(),
  ...bookkeeping,
});

/**
 * Returns the SQL condition for public records. Unlisted pages do not match, although visitors can open them by their
 * slug. Modules and lessons have no visibility of their own: they are read with their course.
 */
function readableWhen(fields: Fields): string {
  if (!('visibility' in fields)) return 'true';
  return hasDrafts(fields) ? "visibility = 'public' and not is_draft" : "visibility = 'public'";
}

const declared = { ...resources, ...curriculumResources };

type Declared = typeof declared;

type ContentEntities = { [N in keyof Declared]: ReturnType<typeof contentEntity<N, Declared[N]['fields']>> };

// `Object.fromEntries` loses the relation between resources and entities.
const entities = Object.fromEntries(
  Object.entries(declared).map(([collection, { fields }]) => [collection, contentEntity(collection, fields)]),
) as unknown as ContentEntities;

export const contentEntities = Object.values(entities);

/** Returns the entity of a collection. Throws an `Error` if the collection has no table. */
export function getContentEntity(collection: string): EntitySchema<ContentRow> {
  const entity = contentEntities.find(({ meta }) => meta.tableName === collection);
  if (!entity) throw new Error(`No table for the collection ${collection}`);
  // One type for all entities: writes are the same for every resource and set fields by name.
  return entity as unknown as EntitySchema<ContentRow>;
}

/**
 * Returns the columns of a collection that can be written, without those that PostgreSQL computes. Throws an `Error`
 * if the collection has no table.
 */
export function columnsOf(collection: string): readonly string[] {
  const columns = writtenColumns.get(collection);
  if (!columns) throw new Error(`No table for the collection ${collection}`);
  return columns;
}

const writtenColumns: ReadonlyMap<string, readonly string[]> = new Map(
  contentEntities.map(({ meta }) => [
    meta.tableName,
    Object.entries(meta.properties).flatMap(([name, { generated }]) => (generated ? [] : [name])),
  ]),
);

/**
 * Converts input to stored values. Null and `""` become the field's unset value, timestamps become `Date`. Undefined values
 * are left out.
 */
export function storedValues(fields: Fields, values: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    // RPC input can contain a field with the value undefined.
    if (value === undefined) return [];
    const field = fields[name];
    if (value === null || value === '') return [[name, field?.unset]];
    const isTimestamp = typeof value === 'string' && field?.column === 'timestamptz(3)';
    return [[name, isTimestamp ? toDate(value) : value]];
  });
  return Object.fromEntries(entries);
}
