import { retentionDays } from '../../shared/contract/limits.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { curriculumResources, resources } from '../../shared/contract/resources/index.ts';
import { insertViews } from '../features/analytics/store-views.ts';
import { updateProfile } from '../features/profile/store.ts';
import { deleteRecord, updateRecord } from '../features/records/writes.ts';
import { updateSettings } from '../features/sites/settings.ts';
import type { Deps } from '../kernel/deps.ts';
import { before, type DemoSite, type Ids, write, writing } from './backdate.ts';
import { type Dated, readProfile, readRecords } from './example.ts';
import { fillAudience } from './fill-audience.ts';
import { fillNewsletter } from './fill-newsletter.ts';
import { fillPictures } from './pictures.ts';
import { fillTestimonials } from './testimonials.ts';
import { pageViews } from './views.ts';

/** The owner is made after the content. */
const creator = { kind: 'owner', id: '', name: 'Ada Marsh' } as const;

/**
 * Fills a new site with the content and the audience of a fictional creator, through the functions that real writes
 * use, as if in the past, but for a newsletter that nobody gets. Each of the nine events fires at least once.
 */
export async function fillWithExample(deps: Deps, siteId: string) {
  const site = { deps, siteId, actor: creator };
  await updateSettings({ deps, siteId }, { currency: 'EUR' });
  const pictures = await fillPictures(before(site, retentionDays.views));
  const avatar_url = pictures.get('portrait')?.url;
  await updateProfile({ deps, siteId }, { ...readProfile(), avatar_url });
  const ids = await fillContent(site, pictures);
  await fillCurricula(site, ids);
  await fireOtherContentEvents(site, ids);
  await fillAudience(site, ids);
  await fillNewsletter(site, ids);
  await fillTestimonials(site);
  await insertViews(deps.database, pageViews(siteId, deps.clock.now()));
}

type Pictures = Awaited<ReturnType<typeof fillPictures>>;

async function fillContent(site: DemoSite, pictures: Pictures): Promise<Ids> {
  const ids = new Map<string, string>();
  for (const collection of keysOf(resources)) {
    const records = readRecords(collection);
    for (const [place, { days_ago, picture, modules: _, ...values }] of records.entries()) {
      const cover = pictures.get(picture ?? '')?.id;
      const then = before(site, days_ago, place);
      const id = await write(then, resources[collection], cover ? { ...values, cover } : values);
      ids.set(`${collection}/${values.title}`, id);
    }
  }
  return ids;
}

async function fillCurricula(site: DemoSite, ids: Ids) {
  for (const { title, modules = [] } of readRecords('courses'))
    await fillCurriculum(site, ids.get(`courses/${title}`), modules);
}

async function fillCurriculum(site: DemoSite, course_id: string | undefined, all: Modules) {
  const { modules, lessons } = curriculumResources;
  for (const [sort_order, module] of all.entries()) {
    const module_id = await write(site, modules, { course_id, title: module.title, sort_order });
    for (const [place, lesson] of module.lessons.entries()) {
      await write(site, lessons, { module_id, sort_order: place, ...lesson });
    }
  }
}

type Modules = NonNullable<Dated['modules']>;

async function fireOtherContentEvents(site: DemoSite, ids: Ids) {
  const corrected = ids.get('posts/Retry like you mean it') ?? '';
  const correction = { id: corrected, tags: ['webhooks', 'reliability'] };
  await updateRecord(writing(site, resources.posts), correction);
  const abandoned = await write(site, resources.pages, { title: 'Mug shop', is_draft: true });
  await deleteRecord(writing(site, resources.pages), { id: abandoned });
}
