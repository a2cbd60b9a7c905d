import { html } from 'hono/html';
import { firstCharacter } from '../../../shared/contract/cut-text.ts';
import { listsOnPages, paging } from '../../../shared/contract/limits.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { readableOn } from '../../../shared/theme/palettes.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Page } from '../page.ts';
import { layoutCollections, readLayoutData, siteTitle } from '../views/layout-data.ts';

const plain = 'text/plain; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

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
  uses: [...layoutCollections, 'posts', 'projects', 'courses', 'talks'],
  isAnonymous: true,
  async render(visit) {
    const { name, profile, nav, pages } = await readLayoutData(visit);
    const { items: posts } = await visit.read('v2.posts.list', {
      per_page: paging.cursor.max,
      sort: '-published_at',
      fields: ['title', 'slug', 'excerpt', 'is_gated'],
    });
    const { items: projects } = await visit.read('visitors.projects', {
      page: 1,
      per_page: listsOnPages.records,
    });
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
            link(title, `/projects/${slug}`, await visit.texts.excerpt(description, 160)),
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
      ...(await visit.texts.firstParagraphs(profile.summary)),
    ].filter(Boolean);
    return { type: plain, body: `${[`# ${line(name)}`, ...about, ...blocks].join('\n\n')}\n` };
  },
};

const line = (text: string) => text.replace(/\s+/g, ' ').trim();

/** `/posts/{slug}.md`: source of an open post, with absolute URLs. */
export const postMarkdown: Page = {
  uses: ['posts'],
  isAnonymous: true,
  async render({ read, params, origin, texts }) {
    const post = await read('v1.posts.get', { slug: params.slug ?? '' });
    if (post.content === undefined) throw new ApiError('not_found');
    const url = `${origin}/posts/${post.slug}`;
    const head = [`# ${line(post.title)}`, post.excerpt && `> ${line(post.excerpt)}`, url];
    const content = await texts.withAbsoluteUrls(post.content, url);
    return { type: markdown, body: `${head.filter(Boolean).join('\n\n')}\n\n${content}\n` };
  },
};

/** `/favicon.svg`: initial of the site in its accent color. */
export const favicon: Page = {
  uses: ['profiles'],
  isAnonymous: true,
  async render({ read, site }) {
    const profile = await read('v1.profile.get');
    const initial = firstCharacter(siteTitle(site, profile));
    const accent = readableOn('#ffffff', site.theme.accent);
    const body = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${accent}"/><text x="32" y="33" fill="#ffffff" font-family="Georgia, serif" font-size="40" font-weight="600" text-anchor="middle" dominant-baseline="central">${initial.toUpperCase()}</text></svg>
`;
    return { type: 'image/svg+xml; charset=utf-8', body: String(await body) };
  },
};
