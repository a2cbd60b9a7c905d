import { defineEntity, type EntitySchema } from '@mikro-orm/core';
import type { Field, Fields } from '../../contract/fields.ts';
import { curriculumResources, resources } from '../../contract/resources/index.ts';
import {
  bookkeeping,
  type ComputedColumn,
  type FieldColumns,
  fieldColumns,
  isPublic,
  sitePrimaryKey,
} from '../columns.ts';

/** A stored record of any resource, as the unit of work sees it. */
export interface ContentRow {
  site_id: string;
  id: string;
  created: Date;
  updated: Date;
  [field: string]: unknown;
}

/** The table of a resource follows from its fields; its indexes and unique slugs are in the migrations. */
const contentEntity = <N extends string, F extends Fields>(collection: N, fields: F) =>
  defineEntity({ name: collection, tableName: collection, properties: contentColumns(fields) });

type ContentColumns<F extends Fields> = typeof sitePrimaryKey &
  FieldColumns<F> &
  Readability<F> &
  typeof bookkeeping;

/** Whether readers see a record. Modules and lessons are read with their course, and have no visibility of their own. */
type Readability<F extends Fields> = F extends { visibility: Field }
  ? { is_public: ComputedColumn<boolean> }
  : unknown;

function contentColumns<F extends Fields>(fields: F) {
  const condition = 'is_draft' in fields ? "visibility = 'public' and not is_draft" : "visibility = 'public'";
  const readability = 'visibility' in fields ? { is_public: isPublic(condition) } : {};
  const columns = { ...sitePrimaryKey, ...fieldColumns(fields), ...readability, ...bookkeeping };
  // The compiler can't follow from the condition which type of readability it is.
  return columns as unknown as ContentColumns<F>;
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
