import type { EntitySchema } from '@mikro-orm/core';
import type { Fields } from '../../contract/fields.ts';
import { toDate } from '../../contract/moments.ts';
import { hasDrafts } from '../../contract/resource.ts';
import { curriculumResources, resources } from '../../contract/resources/index.ts';
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

/** A stored record of any resource, as the unit of work sees it. */
export interface ContentRow {
  site_id: string;
  id: string;
  created: Date;
  updated: Date;
  revision: number;
  created_by: string | null;
  [field: string]: unknown;
}

/** The table of a resource follows from its fields; its indexes and unique slugs are in the migrations. */
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

/** When readers see a record. Modules and lessons are read with their course, and have no visibility of their own. */
function readableWhen(fields: Fields): string {
  if (!('visibility' in fields)) return 'true';
  return hasDrafts(fields) ? "visibility = 'public' and not is_draft" : "visibility = 'public'";
}

const declared = { ...resources, ...curriculumResources };

type Declared = typeof declared;

type ContentEntities = { [N in keyof Declared]: ReturnType<typeof contentEntity<N, Declared[N]['fields']>> };

// The loop loses which entity belongs to which resource.
const entities = Object.fromEntries(
  Object.entries(declared).map(([collection, { fields }]) => [collection, contentEntity(collection, fields)]),
) as unknown as ContentEntities;

export const contentEntities = Object.values(entities);

export function getContentEntity(collection: string): EntitySchema<ContentRow> {
  const entity = contentEntities.find(({ meta }) => meta.tableName === collection);
  if (!entity) throw new Error(`No table for the collection ${collection}`);
  // One type for all of them: writes are the same for every resource, and set its fields by name.
  return entity as unknown as EntitySchema<ContentRow>;
}

/** The columns of a collection that are written: all but those that PostgreSQL computes. */
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

/** Input as it is stored: null and `""` become what the field reads as when unset, moments become Dates. */
export function storedValues(fields: Fields, values: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    // Over RPC a field can be present and undefined.
    if (value === undefined) return [];
    const field = fields[name];
    if (value === null || value === '') return [[name, field?.unset]];
    const isMoment = typeof value === 'string' && field?.column === 'timestamptz(3)';
    return [[name, isMoment ? toDate(value) : value]];
  });
  return Object.fromEntries(entries);
}
