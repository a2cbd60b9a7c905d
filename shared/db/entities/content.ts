import { defineEntity, type EntitySchema } from '@mikro-orm/core';
import type { Resource } from '../../contract/resource.ts';
import { curriculumResources, resources } from '../../contract/resources/index.ts';
import { bookkeeping, fieldColumns, sitePrimaryKey } from '../columns.ts';

/** A stored record of any resource, as the unit of work sees it. */
export interface ContentRow {
  site_id: string;
  id: string;
  created: Date;
  updated: Date;
  [field: string]: unknown;
}

/** The table of a resource follows from its fields; its indexes and unique slugs are in the migrations. */
const contentEntity = ({ collection, fields }: Resource) =>
  defineEntity({
    name: collection,
    tableName: collection,
    properties: { ...sitePrimaryKey, ...fieldColumns(fields), ...bookkeeping },
  }) as unknown as EntitySchema<ContentRow>;

const declared: Resource[] = [...Object.values(resources), ...Object.values(curriculumResources)];

const byCollection = new Map(declared.map((resource) => [resource.collection, contentEntity(resource)]));

export const contentEntities = [...byCollection.values()];

export function getContentEntity(collection: string): EntitySchema<ContentRow> {
  const entity = byCollection.get(collection);
  if (!entity) throw new Error(`No table for the collection ${collection}`);
  return entity;
}
