import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import type { Revision } from '../../../shared/contract/history.ts';
import { paging } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import type { ApiClient, Mutation, Query } from '../../sdk/index.ts';
import { NotSent } from '../texts/errors.ts';
import { queryOf } from './queries.ts';

/** Values of a record by field, of whichever resource it is. */
export type Values = Record<string, unknown>;

/** A record as its owner reads it. */
export interface OwnRecord extends Values {
  id: string;
  created: Date;
  updated: Date;
  revision: number;
}

interface RecordPage {
  items: OwnRecord[];
  page: number;
  per_page: number;
  total: number;
}

interface RecordWrites {
  create: Mutation<Values, { id: string }>;
  update: Mutation<Values & { id: string }, object>;
  delete: Mutation<{ id: string }, unknown>;
}

export interface RecordProcedures extends RecordWrites {
  /** Of records that can be drafts. */
  schedule: Mutation<{ id: string; publish_at: Date | null }, object>;
  /** Of records that their owner puts in order by hand. */
  reorder: Mutation<{ ids: string[] }, object>;
  list: Query<Values & { page?: number; per_page?: number }, RecordPage>;
  get: Query<{ id: string }, OwnRecord>;
  revisions: Query<{ id: string; per_page: number }, { items: z.output<typeof Revision>[] }>;
  getRevision: Query<{ id: string; revision: number }, OwnRecord>;
  restore: Mutation<{ id: string; revision: number }, object>;
}

/** The resource of a collection; undefined when there is none of that name. */
export const findResource = (collection: string): Resource | undefined =>
  Object.values<Resource>(resources).find((resource) => resource.collection === collection);

/** What the owner does with the records of any resource. */
export function recordsOf(api: ApiClient, { collection }: Pick<Resource, 'collection'>): RecordProcedures {
  // Every resource has the same procedures over fields of its own, which only the contract knows.
  const studio = api.studio as unknown as Record<string, RecordProcedures | undefined>;
  const procedures = studio[collection];
  if (!procedures) throw new Error(`the service has no procedures for ${collection}`);
  return procedures;
}

/** The same for what has no lists of its own: modules and lessons are read with their course. */
export const writesOf = (api: ApiClient, resource: Pick<Resource, 'collection'>): RecordWrites =>
  recordsOf(api, resource);

export const recordKey = ({ collection }: Pick<Resource, 'collection'>, id: string) =>
  ['records', collection, 'one', id] as const;

/** One record, drafts included. */
export const recordQuery = (api: ApiClient, resource: Resource, id: string) =>
  queryOf(recordKey(resource, id), recordsOf(api, resource).get, { id });

/** Values of this field in the newest records, most frequent first. */
export const usedQuery = (api: ApiClient, resource: Resource, name: string) =>
  queryOptions({
    // Each write has all of `records` read again, and drafts are written at every pause in typing.
    queryKey: ['used', resource.collection, name],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const input = { fields: [name], per_page: paging.page.max };
      const { items } = await recordsOf(api, resource).list.query(input, { signal });
      const counts = new Map<string, number>();
      for (const item of items.flatMap((record) => z.array(z.string()).parse(record[name])))
        counts.set(item, (counts.get(item) ?? 0) + 1);
      return [...counts].toSorted(([, one], [, other]) => other - one).map(([item]) => item);
    },
  });

/** The one with this id, of a list that has no other way to it. Throws when it is gone. */
export function found<Row extends { id: string }>(rows: readonly Row[], id: string): Row {
  const row = rows.find((item) => item.id === id);
  if (!row) throw new NotSent('not_found');
  return row;
}
