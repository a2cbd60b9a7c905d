import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import type { Revision } from '../../../shared/contract/history.ts';
import { keptRevisions, paging } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { contentCollections, resources } from '../../../shared/contract/resources/index.ts';
import { type ApiClient, etagOf, type Mutation, type Query } from '../../sdk/index.ts';
import { codeOf, NotSent } from '../strings/errors.ts';
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

/** The id, in addresses, of a record that isn't on the service yet. */
export const newId = 'new';

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

export type RecordRevision = z.output<typeof Revision>;

/** The revision that a write has made, by its answer. */
export const revisionIn = (answer: object): number => Number(/^"(\d+)-/.exec(etagOf(answer))?.[1]);

/** The writes of a record that are remembered, newest first. */
export const revisionsQuery = (api: ApiClient, resource: Resource, id: string) =>
  queryOf(['records', resource.collection, 'history', id], recordsOf(api, resource).revisions, {
    id,
    per_page: keptRevisions,
  });

/** A record as one of its revisions left it. What it was then never changes. */
export const pastQuery = (api: ApiClient, resource: Resource, past: { id: string; revision: number }) =>
  queryOptions({
    ...queryOf(['past', resource.collection, past], recordsOf(api, resource).getRevision, past),
    staleTime: 'static',
  });

/**
 * Does something with each of several, one after the other. Where one is refused for a reason of its own, the others are done
 * all the same; what fails in any other way ends it. Gives what was done, and why the others were not.
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

interface Address {
  collection: string;
  id: string;
}

/** The address as the service takes it. Throws for a collection that there isn't. */
function addressOf({ collection, id }: Address) {
  const known = contentCollections.find((name) => name === collection);
  if (!known) throw new Error(`nothing is deleted from ${collection}`);
  return { collection: known, id };
}

/** Brings a record back from the trash; gives its slug when it is another one than before. */
export const restoreTrashed = (api: ApiClient, address: Address) =>
  api.studio.trash.restore.mutate(addressOf(address));

/** Deletes a record of the trash for good. */
export const purgeTrashed = (api: ApiClient, address: Address) =>
  api.studio.trash.purge.mutate(addressOf(address));

/** Says that a collection and the trash are not what they were. */
export const forgetLists = (queries: QueryClient, collection: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['records', collection] }),
    queries.invalidateQueries({ queryKey: ['trash'] }),
  ]);
