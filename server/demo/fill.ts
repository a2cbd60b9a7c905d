import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { Readable } from 'node:stream';
import { retentionDays } from '../../shared/contract/limits.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { curriculumResources, resources } from '../../shared/contract/resources/index.ts';
import { updateSettings } from '../accounts/sites/store.ts';
import type { Deps } from '../api/deps.ts';
import { insertViews } from '../audience/analytics/store-views.ts';
import { updateProfile } from '../content/profile/store.ts';
import { deleteRecord, updateRecord } from '../content/records/writes.ts';
import { examine } from '../media/inspect-in-thread.ts';
import { receive } from '../media/receive-upload.ts';
import { storeFile, updateMedia } from '../media/store.ts';
import { before, type DemoSite, type Ids, write, writing } from './backdate.ts';
import { readProfile, readRecords } from './example.ts';
import { fillAudience, fillNewsletter, fillOffers } from './fill-audience.ts';
import { fillTestimonials } from './testimonials.ts';
import { pageViews } from './views.ts';

/** Actor of the content; the owner's account is created later. */
const creator = { kind: 'owner', id: '', name: 'Ada Marsh' } as const;

/**
 * Fills a new site with content and audience of a fictional creator. It uses the functions of real writes with past
 * dates, except for the newsletter. Each of the nine events is recorded at least once.
 */
export async function fillWithExample(deps: Deps, siteId: string) {
  const site = { deps, siteId, actor: creator };
  await updateSettings({ deps, siteId }, { currency: 'EUR' });
  const images = await fillImages(before(site, retentionDays.views));
  const avatar_url = images.get('portrait')?.url;
  await updateProfile({ deps, siteId }, { ...readProfile(), avatar_url });
  const ids = await fillContent(site, images);
  await fillCurricula(site, ids);
  await fireOtherContentEvents(site, ids);
  await fillAudience(site, ids);
  await fillNewsletter(site, ids);
  await fillOffers(site, ids);
  await fillTestimonials(site);
  await insertViews(deps.database, pageViews(siteId, deps.clock.now()));
}

type Pictures = Awaited<ReturnType<typeof fillImages>>;

async function fillContent(site: DemoSite, images: Pictures): Promise<Ids> {
  const ids = new Map<string, string>();
  for (const collection of keysOf(resources)) {
    const records = readRecords(collection);
    for (const [index, { days_ago, picture: image, modules: _, ...values }] of records.entries()) {
      const cover = images.get(image ?? '')?.id;
      const then = before(site, days_ago, index);
      const id = await write(then, resources[collection], cover ? { ...values, cover } : values);
      ids.set(`${collection}/${values.title}`, id);
    }
  }
  return ids;
}

async function fillCurricula(site: DemoSite, ids: Ids) {
  for (const { title, modules = [] } of readRecords('courses'))
    for (const [sort_order, module] of modules.entries()) {
      const values = { course_id: ids.get(`courses/${title}`), title: module.title, sort_order };
      const module_id = await write(site, curriculumResources.modules, values);
      for (const [index, lesson] of module.lessons.entries())
        await write(site, curriculumResources.lessons, { module_id, sort_order: index, ...lesson });
    }
}

async function fireOtherContentEvents(site: DemoSite, ids: Ids) {
  const corrected = ids.get('posts/Retry like you mean it') ?? '';
  const correction = { id: corrected, tags: ['webhooks', 'reliability'] };
  await updateRecord(writing(site, resources.posts), correction);
  const abandoned = await write(site, resources.pages, { title: 'Mug shop', is_draft: true });
  await deleteRecord(writing(site, resources.pages), { id: abandoned });
}

/** Images drawn for this project, under its license. Each contains its description. */
const folder = join(import.meta.dirname, 'pictures');

const wait = { stalledMs: 30_000, maxMs: 60_000, minBytesPerSecond: 1 } as const;

/** Renders the example's images into media, and returns their ids and URLs by name. */
async function fillImages(site: DemoSite) {
  const { deps, siteId } = site;
  // Imported here, because installations without a demo site do not need it.
  const { default: sharp } = await import('sharp');
  const kept = new Map<string, { id: string; url: string }>();
  for (const file of await readdir(folder)) {
    const drawing = await readFile(join(folder, file));
    const { name } = parse(file);
    const bytes = await sharp(drawing).jpeg({ quality: 84 }).toBuffer();
    const { id, url } = await keepImage(site, `${name}.jpg`, bytes);
    const [, alt = ''] = /<title>(.*?)<\/title>/.exec(drawing.toString()) ?? [];
    await updateMedia({ deps, siteId }, { id, alt });
    kept.set(name, { id, url: deps.config.publicUrl.origin + url });
  }
  return kept;
}

function keepImage({ deps, siteId }: DemoSite, name: string, bytes: Buffer) {
  const incoming = { name, content: Readable.from([bytes]), ended: async () => {} };
  return receive(incoming, { maxBytes: bytes.length, wait }, async (received) => {
    const examined = await examine(deps.threadPool, siteId, received);
    return (await storeFile(deps, examined, { siteId, plan: null, name })).file;
  });
}
