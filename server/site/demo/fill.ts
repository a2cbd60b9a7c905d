import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { collectionOf } from '../../content/collection.ts';
import { createRecord } from '../../content/writes.ts';
import type { OperatorDeps } from '../../deps.ts';
import { updateProfile } from '../../profile/store.ts';
import { certifications, education, experience, skills } from './career.ts';
import { courses } from './courses.ts';
import type { Dated } from './dated.ts';
import { pages } from './pages.ts';
import { posts } from './posts.ts';
import { profile } from './profile.ts';
import { projects } from './projects.ts';
import { talks } from './talks.ts';

type Collections = typeof resources;

const example = {
  posts,
  projects,
  courses,
  talks,
  experience,
  education,
  skills,
  certifications,
  pages,
} satisfies { [C in keyof Collections]: Dated<Collections[C]>[] };

const dayMs = 86_400_000;

/** Tells apart what was written on the same day. */
const betweenMs = 23 * 60_000;

/** Fills a new site with the content of a fictional creator, written as its owner would have, in the past. */
export async function fillWithExample(deps: OperatorDeps, siteId: string) {
  await updateProfile(deps, siteId, profile);
  for (const [name, resource] of Object.entries<Resource>(resources)) {
    const records: { daysAgo: number }[] = example[name as keyof Collections];
    for (const [place, { daysAgo, ...values }] of records.entries()) {
      const moment = new Date(deps.clock.now().getTime() - daysAgo * dayMs - place * betweenMs);
      const then = { ...deps, clock: { now: () => moment } };
      await createRecord(collectionOf({ deps: then, siteId }, resource), resource.create.parse(values));
    }
  }
}
