import { html } from 'hono/html';
import { listsOnPages, paging } from '../../../shared/contract/limits.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { collectionStateOf } from '../../api/access/site-of-host.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Page, Visit } from '../page.ts';
import { layoutCollections, readLayoutData } from '../views/layout-data.ts';
import { each, when } from '../views/parts.ts';

interface Address {
  path: string;
  updated?: Date;
}

const collections = ['posts', 'projects', 'courses'] as const;

/** Part of the sitemap with pages that are not records. */
const ownPages = 'pages';

/** `/sitemap.xml`: every page that search engines may show, or an index of parts if there are many. */
export const sitemap: Page = {
  uses: [...layoutCollections, ...collections],
  query: ['part'],
  isAnonymous: true,
  async render(visit) {
    const { part } = visit.query;
    const pages = await pageAddresses(visit);
    if (part === ownPages) return xml(urlset(visit, pages));
    if (part !== undefined) return xml(urlset(visit, await addressesOf(visit, part)));
    const counts = collections.map((name) => collectionStateOf(visit.site, name).public_count);
    if (counts.reduce((sum, count) => sum + count, pages.length) > listsOnPages.inSitemap)
      return xml(await index(visit));
    for (const name of collections) pages.push(...(await allOf(visit, name)));
    return xml(urlset(visit, pages));
  },
};

const xml = async (content: ReturnType<typeof urlset>) => ({
  type: 'application/xml; charset=utf-8',
  body: String(await content),
});

const urlset = ({ origin }: Visit, addresses: readonly Address[]) =>
  html`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${each(
  addresses,
  ({ path, updated }) =>
    html`<url><loc>${origin}${path}</loc>${when(updated, () => html`<lastmod>${updated?.toISOString()}</lastmod>`)}</url>
`,
)}</urlset>
`;

async function index({ origin, read }: Visit) {
  const { data } = await read('visitors.sitemap.parts');
  const names = [ownPages, ...data.map(({ collection, from }) => `${collection}-${from}`)];
  return html`<?xml version="1.0" encoding="utf-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${each(
  names,
  (name) => html`<sitemap><loc>${origin}${sitePaths.sitemap}?part=${name}</loc></sitemap>
`,
)}</sitemapindex>
`;
}

async function pageAddresses(visit: Visit): Promise<Address[]> {
  const { nav, pages } = await readLayoutData(visit);
  return [
    { path: sitePaths.home },
    ...nav.map(({ path }) => ({ path })),
    ...pages.map(({ slug, updated }) => ({ path: `/${slug}`, updated })),
  ];
}

/** Addresses of a part. Throws `not_found` for an unknown part. */
async function addressesOf({ read }: Visit, part: string): Promise<Address[]> {
  const collection = collections.find((known) => part.startsWith(`${known}-`));
  if (!collection) throw new ApiError('not_found');
  const from = part.slice(collection.length + 1);
  const { data } = await read('visitors.sitemap.part', { collection, from });
  if (data.length === 0) throw new ApiError('not_found');
  return data.map(({ slug, updated }) => ({ path: `/${collection}/${slug}`, updated }));
}

async function allOf(visit: Visit, collection: (typeof collections)[number]): Promise<Address[]> {
  const addresses: Address[] = [];
  for (let page = 1; ; page += 1) {
    const { items, per_page } = await partOf(visit, collection, page);
    addresses.push(...items.map(({ slug, updated }) => ({ path: `/${collection}/${slug}`, updated })));
    if (items.length < per_page || addresses.length > listsOnPages.inSitemap) return addresses;
  }
}

function partOf({ read }: Visit, collection: (typeof collections)[number], page: number) {
  const part = { page, per_page: paging.page.max, fields: ['slug' as const, 'updated' as const] };
  if (collection === 'posts') return read('v2.posts.list', { ...part, sort: '-published_at' });
  return collection === 'projects' ? read('v2.projects.list', part) : read('v2.courses.list', part);
}
