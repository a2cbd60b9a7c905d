import { html } from 'hono/html';
import { paging } from '../../../../shared/contract/limits.ts';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { Page, Visit } from '../page.ts';
import { readableOn } from '../style/color.ts';
import { frameUses, readFrame } from '../views/frame.ts';
import { each, when } from '../views/parts.ts';

const plain = 'text/plain; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

/** A sitemap holds no more addresses (sitemaps.org). */
const mostAddresses = 50_000;

interface Address {
  path: string;
  updated?: Date;
}

/** `/sitemap.xml`: every page that search engines may show. */
export const sitemap: Page = {
  uses: [...frameUses, 'posts', 'projects', 'courses'],
  isAnonymous: true,
  async render(visit) {
    const { nav, pages } = await readFrame(visit);
    const addresses: Address[] = [
      { path: sitePaths.home },
      ...nav,
      ...pages.map(({ slug, updated }) => ({ path: `/${slug}`, updated })),
      ...(await allPosts(visit)),
      ...(await allOf(visit, 'projects')),
      ...(await allOf(visit, 'courses')),
    ];
    const body = html`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${each(
  addresses.slice(0, mostAddresses),
  ({ path, updated }) =>
    html`<url><loc>${visit.origin}${path}</loc>${when(updated, () => html`<lastmod>${updated?.toISOString()}</lastmod>`)}</url>
`,
)}</urlset>
`;
    return { type: 'application/xml; charset=utf-8', body: String(await body) };
  },
};

async function allPosts({ read }: Visit): Promise<Address[]> {
  const addresses: Address[] = [];
  for (let page = 1; addresses.length < mostAddresses; page += 1) {
    const { items, per_page } = await read('v2.posts.list', {
      page,
      per_page: paging.page.max,
      sort: '-published_at',
      fields: ['slug', 'updated'],
    });
    addresses.push(...items.map(({ slug, updated }) => ({ path: `/posts/${slug}`, updated })));
    if (items.length < per_page) break;
  }
  return addresses;
}

async function allOf({ read }: Visit, collection: 'projects' | 'courses'): Promise<Address[]> {
  const addresses: Address[] = [];
  for (let page = 1; addresses.length < mostAddresses; page += 1) {
    const part = { page, per_page: paging.page.max, fields: ['slug' as const, 'updated' as const] };
    const { items, per_page } =
      collection === 'projects' ? await read('v2.projects.list', part) : await read('v2.courses.list', part);
    addresses.push(...items.map(({ slug, updated }) => ({ path: `/${collection}/${slug}`, updated })));
    if (items.length < per_page) break;
  }
  return addresses;
}

/** `/robots.txt` */
export const robots: Page = {
  uses: [],
  isAnonymous: true,
  async render({ origin }) {
    const closed = ['/api/', '/trpc/', '/mcp', sitePaths.account, sitePaths.signIn].map(
      (path) => `Disallow: ${path}`,
    );
    return {
      type: plain,
      body: `User-agent: *\n${closed.join('\n')}\nSitemap: ${origin}${sitePaths.sitemap}\n`,
    };
  },
};

/** `/llms.txt`: the site for language models, as llmstxt.org describes it. */
export const llms: Page = {
  uses: [...frameUses, 'posts', 'projects', 'courses', 'talks'],
  isAnonymous: true,
  async render(visit) {
    const { name, profile, nav, pages } = await readFrame(visit);
    const { items: posts } = await visit.read('v2.posts.list', {
      per_page: paging.cursor.max,
      sort: '-published_at',
      fields: ['title', 'slug', 'excerpt', 'is_gated'],
    });
    const { data: projects } = await visit.read('v1.projects.list', { limit: paging.cursor.max });
    const link = (title: string, path: string, about: string) =>
      `- [${line(title)}](${visit.origin}${path})${about ? `: ${line(about)}` : ''}`;
    const lists = [
      [
        'Posts',
        posts.map((post) =>
          link(post.title, post.is_gated ? `/posts/${post.slug}` : `/posts/${post.slug}.md`, post.excerpt),
        ),
      ],
      [
        'Projects',
        await Promise.all(
          projects.map(async ({ title, slug, description }) =>
            link(title, `/projects/${slug}`, await visit.texts.opening(description, 160)),
          ),
        ),
      ],
      [
        'Pages',
        [...nav, ...pages.map(({ title, slug }) => ({ title, path: `/${slug}` }))].map(({ title, path }) =>
          link(title, path, ''),
        ),
      ],
    ] as const;
    const blocks = lists
      .filter(([, links]) => links.length > 0)
      .map(([title, links]) => `## ${title}\n\n${links.join('\n')}`);
    const about = [
      profile.headline && `> ${line(profile.headline)}`,
      ...(await visit.texts.openingParagraphs(profile.summary)),
    ].filter(Boolean);
    return { type: plain, body: `${[`# ${line(name)}`, ...about, ...blocks].join('\n\n')}\n` };
  },
};

const line = (text: string) => text.replace(/\s+/g, ' ').trim();

/** `/posts/{slug}.md`: an open post as it was written. */
export const postMarkdown: Page = {
  uses: ['posts'],
  isAnonymous: true,
  async render({ read, params, origin }) {
    const post = await read('v1.posts.get', { slug: params.slug ?? '' });
    if (post.content === undefined) throw new ApiError('not_found');
    const head = [
      `# ${line(post.title)}`,
      post.excerpt && `> ${line(post.excerpt)}`,
      `${origin}/posts/${post.slug}`,
    ];
    return { type: markdown, body: `${head.filter(Boolean).join('\n\n')}\n\n${post.content}\n` };
  },
};

/** `/favicon.svg`: the initial of the site on its accent. */
export const favicon: Page = {
  uses: ['profiles'],
  isAnonymous: true,
  async render({ read, site }) {
    const profile = await read('v1.profile.get');
    const initial =
      [...new Intl.Segmenter(site.language).segment(profile.name || site.name)][0]?.segment ?? '';
    const accent = readableOn('#ffffff', site.theme.accent);
    const body = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${accent}"/><text x="32" y="33" fill="#ffffff" font-family="Georgia, serif" font-size="40" font-weight="600" text-anchor="middle" dominant-baseline="central">${initial.toUpperCase()}</text></svg>
`;
    return { type: 'image/svg+xml; charset=utf-8', body: String(await body) };
  },
};
