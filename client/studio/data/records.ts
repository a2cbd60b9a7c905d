import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import type { Revision } from '../../../shared/contract/history.ts';
import { keptRevisions, paging } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { contentCollections, resources } from '../../../shared/contract/resources/index.ts';
import { type ApiClient, etagOf, type Mutation, type Query } from '../../sdk/index.ts';
import { codeOf, NotSent } from '../strings/errors.ts';
import { queryOf } from './queries.ts';

/** Values of a record of any resource, by field name. */
export type Values = Record<string, unknown>;

/** A record with all its fields, as staff read it. */
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

/** Procedures of a resource. Modules and lessons have no lists, because they are read with their course. */
export interface RecordProcedures {
  create: Mutation<Values, { id: string }>;
  update: Mutation<Values & { id: string }, object>;
  delete: Mutation<{ id: string }, unknown>;
  /** Only for resources with drafts. */
  schedule: Mutation<{ id: string; publish_at: Date | null }, object>;
  /** Only for resources that are ordered by hand. */
  reorder: Mutation<{ ids: string[] }, object>;
  list: Query<Values & { page?: number; per_page?: number }, RecordPage>;
  get: Query<{ id: string }, OwnRecord>;
  revisions: Query<{ id: string; per_page: number }, { items: z.output<typeof Revision>[] }>;
  getRevision: Query<{ id: string; revision: number }, OwnRecord>;
  restore: Mutation<{ id: string; revision: number }, object>;
}

/** Returns the resource of a collection. Undefined if there is none, as for modules and lessons. */
export const findResource = (collection: string): Resource | undefined =>
  Object.values<Resource>(resources).find((resource) => resource.collection === collection);

/** Stands for the ID of a new record in addresses. */
export const newId = 'new';

/**
 * Returns the procedures for the records of a resource. The client accepts any name: if the service has no such
 * procedures, their calls fail.
 */
export function recordsOf(api: ApiClient, { collection }: Pick<Resource, 'collection'>): RecordProcedures {
  // All resources have the same procedures. Only the types of their fields differ, and the contract checks those.
  const studio = api.studio as unknown as Record<string, RecordProcedures | undefined>;
  const procedures = studio[collection];
  if (!procedures) throw new Error(`the service has no procedures for ${collection}`);
  return procedures;
}

export const recordKey = ({ collection }: Pick<Resource, 'collection'>, id: string) =>
  ['records', collection, 'one', id] as const;

/** Returns the query of one record, drafts included. */
export const recordQuery = (api: ApiClient, resource: Resource, id: string) =>
  queryOf(recordKey(resource, id), recordsOf(api, resource).get, { id });

/** Returns the query of the values that the newest records have in this field, most frequent first. */
export const usedQuery = (api: ApiClient, resource: Resource, name: string) =>
  queryOptions({
    // A separate key: every write refetches `records`, and drafts are saved at every pause in typing.
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

/**
 * Returns the row with this ID, for lists without a procedure to read one row. Throws `NotSent` with the code
 * `not_found` if no row has it.
 */
export function found<Row extends { id: string }>(rows: readonly Row[], id: string): Row {
  const row = rows.find((item) => item.id === id);
  if (!row) throw new NotSent('not_found');
  return row;
}

export type RecordRevision = z.output<typeof Revision>;

/**
 * Returns the revision number that a write has made, from the entity tag of its answer. Throws a `TypeError` if the
 * answer has no entity tag.
 */
export const revisionIn = (answer: object): number => Number(/^"(\d+)-/.exec(etagOf(answer))?.[1]);

/** Returns the query of a record's stored revisions, newest first. */
export const revisionsQuery = (api: ApiClient, resource: Resource, id: string) =>
  queryOf(['records', resource.collection, 'history', id], recordsOf(api, resource).revisions, {
    id,
    per_page: keptRevisions,
  });

/** Returns the query of a record at one of its revisions, which never changes. */
export const pastQuery = (api: ApiClient, resource: Resource, past: { id: string; revision: number }) =>
  queryOptions({
    ...queryOf(['past', resource.collection, past], recordsOf(api, resource).getRevision, past),
    staleTime: 'static',
  });

/**
 * Runs `work` for each item, one after the other. Continues after an error that concerns a single item
 * (`precondition_failed`, `not_found`, `validation_failed`), and stops at any other. Never rejects. Returns the results,
 * the number `left` of items without a result, and the first error as `failure`, or null.
 */
export async function oneByOne<Item, Done>(items: readonly Item[], work: (item: Item) => Promise<Done>) {
  const done: Done[] = [];
  let failure: unknown = null;
  for (const item of items) {
    try {
      done.push(await work(item));
    } catch (error) {
      failure ??= error;
      if (!isOfOne(error)) break;
    }
  }
  return { done, left: items.length - done.length, failure };
}

const isOfOne = (error: unknown) =>
  ['precondition_failed', 'not_found', 'validation_failed'].includes(codeOf(error) ?? '');

/** Address of a record in the trash. Throws an `Error` for an unknown collection, before a request is sent. */
export const TrashAddress = z.object({ collection: z.enum(contentCollections), id: z.string() });

/** Refetches the lists and records of a collection, and the trash. */
export const forgetLists = (queries: QueryClient, collection: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['records', collection] }),
    queries.invalidateQueries({ queryKey: ['trash'] }),
  ]);
