import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { collectionOf } from '../../content/collection.ts';
import { createRecord } from '../../content/writes.ts';
import type { OperatorDeps } from '../../deps.ts';
import { updateProfile } from '../../profile/store.ts';
import { certifications, education, experience, skills } from './career.ts';
import { courses } from './courses.ts';
import { at, type Dated } from './dated.ts';
import { fillAudience } from './fill-audience.ts';
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

/** Days between what was written on the same day, to tell it apart. */
const between = 23 / (24 * 60);

/** Fills a new site with the content of a fictional creator, written as its owner would have, in the past. */
export async function fillWithExample(deps: OperatorDeps, siteId: string) {
  await updateProfile(deps, siteId, profile);
  const ids = new Map<string, string>();
  for (const [name, resource] of Object.entries<Resource>(resources)) {
    const records: { daysAgo: number; title?: string }[] = example[name as keyof Collections];
    for (const [place, { daysAgo, ...values }] of records.entries()) {
      const then = at(deps, daysAgo + place * between);
      const { id } = await createRecord(
        collectionOf({ deps: then, siteId }, resource),
        resource.create.parse(values),
      );
      ids.set(`${name}/${values.title}`, id);
    }
  }
  await fillAudience(deps, siteId, (collection, title) => {
    const id = ids.get(`${collection}/${title}`);
    if (!id) throw new Error(`the example has no ${collection} with the title ${title}`);
    return id;
  });
}
