import type { Included } from '../../../shared/contract/sharing.ts';
import type { Page, Visit } from '../page.ts';
import { coloursOf } from '../style/stylesheet.ts';
import { siteTitle } from './layout-data.ts';

const folder = '/assets/cards';

/** Path of a site's social image, for pages that are not records. */
export const siteImagePath = `${folder}/site.png`;

type Kind = 'posts' | 'projects' | 'courses' | 'pages';

const socialImagePath = (kind: Kind, slug: string) => `${folder}/${kind}/${slug}.png`;

export const requestedRecord = (visit: Visit) => ({
  slug: visit.params.slug ?? '',
  include: ['cover' as const, 'meta' as const],
});

export const recordMeta = (kind: Kind, record: { title: string; slug: string } & Included) => ({
  title: record.title,
  path: kind === 'pages' ? `/${record.slug}` : `/${kind}/${record.slug}`,
  shared: record,
  card: socialImagePath(kind, record.slug),
});

/** Returns the social image of a page with its absolute URL. Width and height are in pixels. */
export const cardImage = (origin: string, path: string, title: string) => ({
  url: `${origin}${path}`,
  alt: title,
  width: 1_200,
  height: 630,
});

/** Titles of records, by kind and slug. Throws `not_found`. */
const titleOf: Record<Kind, (visit: Visit, slug: string) => Promise<{ title: string }>> = {
  posts: ({ read }, slug) => read('v1.posts.get', { slug }),
  projects: ({ read }, slug) => read('v1.projects.get', { slug }),
  courses: async ({ read }, slug) => (await read('visitors.course', { slug })).record,
  pages: ({ read }, slug) => read('visitors.pages.get', { slug }),
};

const cardPage = (kind: Kind): Page => ({
  // The procedure for custom pages also reads the cover.
  uses: ['profiles', kind, ...(kind === 'pages' ? ['media'] : [])],
  isAnonymous: true,
  async render(visit) {
    const { title } = await titleOf[kind](visit, visit.params.slug ?? '');
    return drawn(visit, title, await visit.read('v1.profile.get'));
  },
});

const siteCard: Page = {
  uses: ['profiles'],
  isAnonymous: true,
  async render(visit) {
    const profile = await visit.read('v1.profile.get');
    return drawn(visit, profile.headline || siteTitle(visit.site, profile), profile);
  },
};

async function drawn({ site, drawCard: drawSocialImage }: Visit, title: string, profile: { name: string }) {
  const { font } = site.theme;
  const body = await drawSocialImage({
    title,
    name: siteTitle(site, profile),
    font,
    colours: coloursOf(site.theme),
  });
  return { type: 'image/png', body };
}

export const socialImages: [path: string, page: Page][] = [
  [siteImagePath, siteCard],
  ...(['posts', 'projects', 'courses', 'pages'] as const).map((kind): [string, Page] => [
    socialImagePath(kind, ':slug'),
    cardPage(kind),
  ]),
];
