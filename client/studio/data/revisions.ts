import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Revision } from '../../../shared/contract/history.ts';
import { keptRevisions } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { type ApiClient, etagOf } from '../../sdk/index.ts';
import { queryOf } from './queries.ts';
import { recordsOf } from './records.ts';

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
