import { html } from 'hono/html';
import { withAbsoluteUrls } from '../../../shared/content/sanitized-html.ts';
import { mediaTypes } from '../../../shared/contract/features/media.ts';
import { textsOnPages } from '../../../shared/contract/limits.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { ApiError } from '../../api/api-error.ts';
import { LargeAnswerError } from '../../api/large-answer.ts';
import type { Page, Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { sharedImage } from '../views/images.ts';
import { siteTitle } from '../views/layout-data.ts';
import { each, nothing, tagFeedPath, tagPath, type View, when } from '../views/parts.ts';
import { gatedTeaser } from '../views/paywall.ts';

type Post = OutputOf<'v2.posts.list'>['items'][number];

const part = { per_page: 20, sort: '-published_at' } as const;

interface Feed {
  name: string;
  creator: string;
  profile: OutputOf<'v1.profile.get'>;
  posts: Post[];
}

const filterOf = ({ params: { tag } }: Visit) => (tag === undefined ? {} : { tag });

/** Reads the posts of a feed. Throws `not_found` for a tag without posts. */
async function readFeed(visit: Visit): Promise<Feed> {
  const { read, site, params } = visit;
  const [profile, posts] = await Promise.all([
    read('v1.profile.get'),
    read('v2.posts.list', { ...part, ...filterOf(visit), include: ['cover'] }).then(
      ({ items }) => items,
      (error: unknown) => {
        if (error instanceof LargeAnswerError) return readOneByOne(visit);
        throw error;
      },
    ),
  ]);
  if (params.tag !== undefined && posts.length === 0) throw new ApiError('not_found');
  return { name: siteTitle(site, profile), creator: profile.name || site.name, profile, posts };
}

/**
 * Reads the posts of a feed one by one if they are too large for memory together. The first ones have their bodies,
 * later ones only excerpts.
 */
async function readOneByOne(visit: Visit): Promise<Post[]> {
  const { read, texts } = visit;
  const { items } = await read('v2.posts.list', { ...part, ...filterOf(visit), fields: ['id'] });
  const posts: Post[] = [];
  let length = 0;
  for (const { id } of items) {
    const post = await read('v2.posts.get', { id, include: ['cover'] }).catch(noneAnyMore);
    if (!post) continue;
    const { content = '', ...rest } = post;
    length += content.length;
    const isWhole = length <= textsOnPages.inFeeds;
    posts.push(isWhole ? post : { ...rest, excerpt: rest.excerpt || (await texts.excerpt(content)) });
  }
  return posts;
}

function noneAnyMore(error: unknown): undefined {
  if (!(error instanceof ApiError && error.errorCode === 'not_found')) throw error;
}

const uses = ['posts', 'profiles'];

/**
 * `/feed.xml`, also by tag: Atom with the bodies that are open to everyone. If the posts are too large together, later
 * ones have only excerpts.
 */
export const atom: Page = {
  uses,
  isAnonymous: true,
  async render(visit) {
    const { name, creator, profile, posts } = await readFeed(visit);
    const { origin, params } = visit;
    const { tag } = params;
    const page = origin + (tag === undefined ? sitePaths.home : tagPath(tag));
    const self = origin + (tag === undefined ? sitePaths.atom : tagFeedPath(tag));
    const updated = posts.map((post) => post.updated.getTime());
    const entries = await Promise.all(posts.map((post) => atomEntry(visit, post)));
    const body = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="${visit.site.language}">
<id>${page}</id>
<title>${storable(tag === undefined ? name : `${name}: ${tag}`)}</title>
${when(profile.headline, () => html`<subtitle>${storable(profile.headline)}</subtitle>`)}
<updated>${new Date(Math.max(profile.updated.getTime(), ...updated)).toISOString()}</updated>
<author><name>${storable(creator)}</name><uri>${origin}/</uri></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${entries}
</feed>
`;
    return { type: 'application/atom+xml; charset=utf-8', body: String(await body) };
  },
};

const atomEntry = async (visit: Visit, post: Post): Promise<View> => {
  const { origin, site, strings } = visit;
  return html`<entry>
<id>${idOf(site.id, post)}</id>
<title>${storable(post.title)}</title>
<link rel="alternate" type="text/html" href="${origin}/posts/${post.slug}"/>
<published>${(post.published_at ?? post.created).toISOString()}</published>
<updated>${post.updated.toISOString()}</updated>
${each(post.tags.filter(Boolean), (tag) => html`<category term="${storable(tag)}"/>`)}
${image(origin, post)}${summaryOf(gatedTeaser(strings, post))}
${post.content ? html`<content type="html">${storable(await feedBody(visit, post))}</content>` : nothing}
</entry>`;
};

const summaryOf = (teaser: string): View => when(teaser, () => html`<summary>${storable(teaser)}</summary>`);

/** Renders the cover of a post in two elements, because feed readers support one of them. Empty if there is none. */
const image = (origin: string, { cover }: Post): View =>
  when(cover, () => {
    if (!cover) return nothing;
    const { url, width, height, alt } = sharedImage(cover, origin);
    return html`<link rel="enclosure" type="${typeOf(url)}" href="${url}"/>
<media:content url="${url}" medium="image" width="${width}" height="${height}">${when(alt, () => html`<media:description>${storable(alt)}</media:description>`)}</media:content>
`;
  });

const typeOf = (url: string) =>
  Object.entries(mediaTypes).find(([, ending]) => url.endsWith(`.${ending}`))?.[0] ?? 'image/*';

/** Renders the body of a post with absolute URLs, since feed readers do not know the URL of its page. */
const feedBody = async ({ texts, origin }: Visit, { slug, content = '' }: Post) =>
  withAbsoluteUrls(await texts.html(content), `${origin}/posts/${slug}`);

/** ID of an entry, which does not change with the slug or the domain. */
const idOf = (siteId: string, { id }: Post) => `tag:${siteId}.posts,2026:${id}`;

/** Removes control characters other than blanks, which XML 1.0 does not allow, not even escaped. */
const storable = (text: string) => text.replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '');

/** `/feed.json`: JSON Feed 1.1. */
export const jsonFeed: Page = {
  uses,
  isAnonymous: true,
  async render(visit) {
    const { name, creator, profile, posts } = await readFeed(visit);
    const { origin, site, strings } = visit;
    const feed = {
      version: 'https://jsonfeed.org/version/1.1',
      title: name,
      home_page_url: `${origin}/`,
      feed_url: `${origin}${sitePaths.jsonFeed}`,
      ...(profile.headline && { description: profile.headline }),
      language: site.language,
      authors: [{ name: creator, url: `${origin}/` }],
      items: await Promise.all(
        posts.map(async (post) => ({
          id: idOf(site.id, post),
          url: `${origin}/posts/${post.slug}`,
          title: post.title,
          ...(post.cover && { image: sharedImage(post.cover, origin).url }),
          ...(post.excerpt && { summary: post.excerpt }),
          // JSON Feed requires a content. For a gated post it is the excerpt, with a note on how to get access.
          ...(post.content
            ? { content_html: await feedBody(visit, post) }
            : { content_text: gatedTeaser(strings, post) }),
          date_published: (post.published_at ?? post.created).toISOString(),
          date_modified: post.updated.toISOString(),
          tags: post.tags,
        })),
      ),
    };
    return { type: 'application/feed+json; charset=utf-8', body: JSON.stringify(feed) };
  },
};
