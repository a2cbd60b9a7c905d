import type { CreateInput, Resource } from '../../shared/contract/resource.ts';

/** A record to create, and how long ago it was. */
export type Dated<R> = R extends Resource<infer F> ? CreateInput<F> & { daysAgo: number } : never;
