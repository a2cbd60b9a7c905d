import { keysOf } from '../../shared/contract/names-of.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import { curriculumResources, resources } from '../../shared/contract/resources/index.ts';
import { insertViews } from '../features/analytics/store-views.ts';
import { updateProfile } from '../features/profile/store.ts';
import { writtenBy } from '../features/records/collection.ts';
import { deleteRecord, updateRecord } from '../features/records/writes.ts';
import type { Deps } from '../kernel/deps.ts';
import { before, type DemoSite, type Ids, write } from './backdate.ts';
import { certifications, education, experience, skills } from './career.ts';
import { courses } from './courses.ts';
import { curricula } from './curriculum.ts';
import type { Dated } from './dated.ts';
import { fillAudience } from './fill-audience.ts';
import { pages } from './pages.ts';
import { posts } from './posts.ts';
import { profile } from './profile.ts';
import { projects } from './projects.ts';
import { talks } from './talks.ts';
import { pageViews } from './views.ts';

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
} satisfies { [C in keyof Collections]?: Dated<Collections[C]>[] };

/** The owner is made after the content. */
const creator = { kind: 'owner', id: '', name: 'Ada Marsh' } as const;

/**
 * Fills a new site with the content and the audience of a fictional creator, through the functions that real writes
 * use, as if in the past. Each of the nine events fires at least once.
 */
export async function fillWithExample(deps: Deps, siteId: string) {
  const site = { deps, siteId, actor: creator };
  await updateProfile({ deps, siteId }, profile);
  const ids = await fillContent(site);
  await fillCurricula(site, ids);
  await fireOtherContentEvents(site, ids);
  await fillAudience(site, ids);
  await insertViews(deps.database, pageViews(siteId, deps.clock.now()));
}

async function fillContent(site: DemoSite): Promise<Ids> {
  const ids = new Map<string, string>();
  for (const collection of keysOf(resources)) {
    const resource: Resource = resources[collection];
    const records: { daysAgo: number; title?: string }[] = example[collection];
    for (const [place, { daysAgo, ...values }] of records.entries()) {
      ids.set(`${collection}/${values.title}`, await write(before(site, daysAgo, place), resource, values));
    }
  }
  return ids;
}

async function fillCurricula(site: DemoSite, ids: Ids) {
  const { modules, lessons } = curriculumResources;
  for (const [course, curriculum] of Object.entries(curricula)) {
    for (const [sort_order, module] of curriculum.entries()) {
      const course_id = ids.get(`courses/${course}`);
      const module_id = await write(site, modules, { course_id, title: module.title, sort_order });
      for (const [place, lesson] of module.lessons.entries()) {
        await write(site, lessons, { module_id, sort_order: place, ...lesson });
      }
    }
  }
}

async function fireOtherContentEvents(site: DemoSite, ids: Ids) {
  const corrected = ids.get('posts/Retry like you mean it') ?? '';
  await updateRecord(writtenBy(site, resources.posts), corrected, { tags: ['webhooks', 'reliability'] });
  const abandoned = await write(site, resources.pages, { title: 'Mug shop', is_draft: true });
  await deleteRecord(writtenBy(site, resources.pages), abandoned);
}
