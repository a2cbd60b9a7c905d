import { html, raw } from 'hono/html';
import type { Included } from '../../../../shared/contract/sharing.ts';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { Document, Page, Visit } from '../page.ts';
import { stylesheetFor } from '../style/stylesheet.ts';
import { sharedImage } from './cover.ts';
import { isWrittenFromTheRight } from './direction.ts';
import { type Frame, frameUses, readFrame } from './frame.ts';
import { each, type View, when } from './parts.ts';

/** What one page puts into the frame. */
export interface Content {
  /** Left out on the home page. */
  title?: string;
  description?: string;
  /** Its own path, for the canonical link. */
  path: string;
  /** Chooses the styles of the page. */
  kind: string;
  main: View;
  /** schema.org, as JSON-LD. */
  data?: readonly object[];
  /** Of the OpenGraph card. */
  article?: { published: Date | null; updated: Date; tags: readonly string[] };
  /** What its record says of itself where it is shared. */
  shared?: Included;
  /** Kept out of search engines. */
  hidden?: boolean;
}

interface HtmlPage {
  uses: readonly string[];
  query?: readonly string[];
  view(visit: Visit, frame: Frame): Promise<Content>;
}

/** A page in the site's frame. */
export const htmlPage = ({ uses, query = [], view }: HtmlPage): Page => ({
  uses: [...frameUses, ...uses],
  query,
  render: (visit) => inFrame(visit, view),
});

/** What a visitor is shown this once, in the site's frame. */
export async function inFrame(visit: Visit, view: HtmlPage['view']): Promise<Document> {
  const frame = await readFrame(visit);
  const content = await view(visit, frame);
  return { type: 'text/html; charset=utf-8', body: String(await layout(visit, frame, content)) };
}

const layout = (visit: Visit, frame: Frame, content: Content): View => html`<!doctype html>
<html lang="${visit.site.language}"${when(isWrittenFromTheRight(visit.site.language), () => raw(' dir="rtl"'))} class="${visit.site.theme.scheme}">
${head(visit, frame, content)}
<body class="page-${content.kind}">
<a class="skip" href="#main">Skip to content</a>
${header(visit, frame, content)}
<main id="main">
${content.main}
</main>
${footer(visit, frame)}
</body>
</html>
`;

function head({ site, origin, responses }: Visit, { name, profile }: Frame, content: Content): View {
  const { cover, meta_title, meta_description } = content.shared ?? {};
  const ownTitle = meta_title || content.title;
  const title = ownTitle ? `${ownTitle} · ${name}` : joinedTitle(name, profile.headline);
  const description = meta_description || content.description || '';
  const image = cover && sharedImage(cover, origin);
  return html`<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${when(description, () => html`<meta name="description" content="${description}">`)}
${when(content.hidden, () => html`<meta name="robots" content="noindex">`)}
${when(!content.hidden, () => html`<link rel="canonical" href="${origin}${content.path}">`)}
<link rel="stylesheet" href="${stylesheetFor(site.theme, responses).path}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="alternate" type="application/atom+xml" title="${name}" href="${sitePaths.atom}">
<link rel="alternate" type="application/feed+json" title="${name}" href="${sitePaths.jsonFeed}">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${ownTitle || name}">
<meta property="og:type" content="${content.article ? 'article' : 'website'}">
<meta property="og:url" content="${origin}${content.path}">
${when(description, () => html`<meta property="og:description" content="${description}">`)}
${image ? imageMeta(image) : when(profile.avatar_url, () => html`<meta property="og:image" content="${profile.avatar_url}">`)}
<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}">
${when(content.article, () => articleMeta(content))}
${each(content.data ?? [], (data) => html`<script type="application/ld+json">${raw(jsonForHtml(data))}</script>`)}
</head>`;
}

const imageMeta = ({ url, alt, width, height }: ReturnType<typeof sharedImage>): View =>
  html`<meta property="og:image" content="${url}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
${when(alt, () => html`<meta property="og:image:alt" content="${alt}">`)}`;

const articleMeta = ({ article }: Content): View => html`${when(
  article?.published,
  () => html`<meta property="article:published_time" content="${article?.published?.toISOString()}">`,
)}
<meta property="article:modified_time" content="${article?.updated.toISOString()}">
${each(article?.tags ?? [], (tag) => html`<meta property="article:tag" content="${tag}">`)}`;

const joinedTitle = (name: string, headline: string) => (headline ? `${name} · ${headline}` : name);

/** JSON that can't end the element it stands in. */
const jsonForHtml = (data: object) => JSON.stringify(data).replaceAll('<', '\\u003c');

const header = ({ reader }: Visit, { name, nav }: Frame, { path }: Content): View => html`<header class="top">
<div class="inner">
<a class="name" href="/"${path === '/' ? raw(' aria-current="page"') : ''}>${name}</a>
<nav aria-label="Site">
<ul role="list">
${each(nav, (item) => html`<li><a href="${item.path}"${currentFor(item.path, path)}>${item.title}</a></li>`)}
${when(
  reader.signedIn,
  () => html`<li><a href="${sitePaths.account}"${currentFor(sitePaths.account, path)}>Account</a></li>`,
)}
</ul>
</nav>
</div>
</header>`;

function currentFor(item: string, path: string): View {
  if (path === item) return raw(' aria-current="page"');
  return path.startsWith(`${item}/`) ? raw(' aria-current="true"') : raw('');
}

const footer = (
  { reader, site }: Visit,
  { name, pages, profile }: Frame,
): View => html`<footer class="bottom">
<div class="inner">
<p class="who">${name}${when(profile.location, () => html`<span>${profile.location}</span>`)}</p>
<nav aria-label="More">
<ul role="list">
${each(pages.slice(0, 12), (page) => html`<li><a href="/${page.slug}">${page.title}</a></li>`)}
${when(
  site.theme.sections.includes('newsletter'),
  () => html`<li><a href="${sitePaths.newsletter}">Newsletter</a></li>`,
)}
${when(
  site.theme.sections.includes('testimonials'),
  () => html`<li><a href="${sitePaths.testimonials}">Testimonials</a></li>`,
)}
<li><a href="${sitePaths.atom}">Feed</a></li>
<li>${
  reader.signedIn
    ? html`<a href="${sitePaths.account}">Account</a>`
    : html`<a href="${sitePaths.signIn}">Sign in</a>`
}</li>
</ul>
</nav>
</div>
</footer>`;
