import type { Actor } from '../../shared/contract/history.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import type { Deps } from '../api/deps.ts';
import type { WrittenCollection } from '../content/records/collection.ts';
import { createRecord } from '../content/records/writes.ts';

export interface DemoSite {
  deps: Deps;
  siteId: string;
  actor: Actor;
}

/** Ids of the example's records by collection and title, such as `courses/Your first API`. */
export type Ids = ReadonlyMap<string, string>;

const dayMs = 86_400_000;

/** Interval between records of the same day, in milliseconds, so that their times differ. */
const betweenMs = 23 * 60_000;

/**
 * Returns the site with a clock that shows a time some days ago. `index` counts the records of that day from the latest,
 * beginning with 0.
 */
export function before({ deps, siteId, actor }: DemoSite, daysAgo: number, index = 0): DemoSite {
  const timestamp = new Date(deps.clock.now().getTime() - daysAgo * dayMs - index * betweenMs);
  return { siteId, actor, deps: { ...deps, clock: { ...deps.clock, now: () => timestamp } } };
}

/** Returns the collection of a resource on the example site, with the owner as its writer. */
export const writing = (site: DemoSite, resource: Resource): WrittenCollection => ({
  ...site,
  resource,
  answer: {},
});

/**
 * Creates a record with past dates and returns its ID. Throws the errors of `createRecord`, and `ZodError` if the
 * values break the contract.
 */
export async function write(site: DemoSite, resource: Resource, values: object): Promise<string> {
  const { id } = await createRecord(writing(site, resource), resource.create.parse(values));
  return id;
}
