import { html, raw } from 'hono/html';
import { defaultTheme, type SectionName } from '../../../shared/contract/features/theme.ts';
import type { Included } from '../../../shared/contract/sharing.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { isWrittenFromTheRight } from '../../../shared/i18n/language-rules.ts';
import type { ResponseCache } from '../../api/response-cache.ts';
import type { Document, Page, Visit } from '../page.ts';
import { stylesheetFor } from '../style/stylesheet.ts';
import { cardImage, siteImagePath } from './card.ts';
import { sharedImage } from './images.ts';
import { hasAny, type LayoutData, layoutCollections, readLayoutData } from './layout-data.ts';
import { each, type View, when } from './parts.ts';

export interface PageContent {
  /** Title of the page; missing on the home page. */
  title?: string;
  description?: string;
  path: string;
  /** Selects the styles of the page, by the CSS class `page-{kind}`. */
  kind: string;
  main: View;
  /** Structured data (schema.org), rendered as JSON-LD. */
  data?: readonly object[];
  /** Data for the OpenGraph type `article`; missing for other pages. */
  article?: { published: Date | null; updated: Date; tags: readonly string[] };
  /**
   * Cover, meta title and meta description of the page's record. They override `title`, `description` and the social
   * image.
   */
  shared?: Included;
  /** Path of the social image that is drawn for a page without a cover. If missing, the site's image is used. */
  card?: string;
  feed?: string;
  /** True if search engines must not list the page. */
  hidden?: boolean;
  frame?: Document['frame'];
}

export type PageRenderer = (visit: Visit, layout: LayoutData) => Promise<PageContent>;

/** Page of the service without a site's layout, in the default theme and without links. */
export const barePage = (
  { responses }: { responses: ResponseCache },
  { language }: SiteStrings,
  { title, main }: { title: string; main: View },
): View => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${stylesheetFor(defaultTheme, responses).path}">
</head>
<body class="page-message">
<main>${main}</main>
</body>
</html>
`;

export const htmlPage = ({
  uses,
  query = [],
  view,
}: Pick<Page, 'uses' | 'query'> & { view: PageRenderer }): Page<string> => ({
  uses: [...layoutCollections, ...uses],
  query,
  render: (visit) => renderInLayout(visit, view),
});

export async function renderInLayout(visit: Visit, view: PageRenderer): Promise<Document<string>> {
  const layout = await readLayoutData(visit);
  const content = await view(visit, layout);
  const body = withDistinctFrames(String(await pageHtml(visit, layout, content)));
  return { type: 'text/html; charset=utf-8', body, frame: content.frame };
}

/**
 * Appends a number to the labels of scrolling frames from the second on, since landmarks of a page need different
 * names.
 */
function withDistinctFrames(page: string): string {
  let count = 0;
  return page.replace(/<section class="frame" tabindex="0" aria-label="[^"]*/g, (frame) => {
    count += 1;
    return count === 1 ? frame : `${frame} ${count}`;
  });
}

const pageHtml = (visit: Visit, layout: LayoutData, content: PageContent): View => html`<!doctype html>
<html lang="${visit.site.language}"${when(isWrittenFromTheRight(visit.site.language), () => raw(' dir="rtl"'))} class="${visit.site.theme.scheme}">
${head(visit, layout, content)}
<body class="page-${content.kind}">
<a class="skip" href="#main">${visit.strings.skip}</a>
${header(visit, layout, content)}
<main id="main">
${content.main}
</main>
${footer(visit, layout)}
</body>
</html>
`;

function head({ site, origin, responses }: Visit, { name, profile }: LayoutData, content: PageContent): View {
  const { cover, meta_title, meta_description } = content.shared ?? {};
  const ownTitle = meta_title || content.title;
  const title = ownTitle ? `${ownTitle} · ${name}` : joinedTitle(name, profile.headline);
  const description = meta_description || content.description || '';
  const image = cover ? sharedImage(cover, origin) : cardImage(origin, content.card ?? siteImagePath, title);
  return html`<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${when(description, () => html`<meta name="description" content="${description}">`)}
${when(content.hidden, () => html`<meta name="robots" content="noindex">`)}
${when(!content.hidden, () => html`<link rel="canonical" href="${origin}${content.path}">`)}
${styles(site, responses)}
${
  site.theme.icon
    ? html`<link rel="icon" href="${site.theme.icon}">`
    : html`<link rel="icon" href="${sitePaths.favicon}" type="image/svg+xml">`
}
<link rel="alternate" type="application/atom+xml" title="${name}" href="${sitePaths.atom}">
<link rel="alternate" type="application/feed+json" title="${name}" href="${sitePaths.jsonFeed}">
${when(content.feed, () => html`<link rel="alternate" type="application/atom+xml" title="${title}" href="${content.feed}">`)}
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${ownTitle || name}">
<meta property="og:type" content="${content.article ? 'article' : 'website'}">
<meta property="og:url" content="${origin}${content.path}">
${when(description, () => html`<meta property="og:description" content="${description}">`)}
${imageMeta(image)}
<meta name="twitter:card" content="summary_large_image">
${when(content.article, () => articleMeta(content))}
${each(content.data ?? [], (data) => html`<script type="application/ld+json">${raw(jsonForHtml(data))}</script>`)}
</head>`;
}

/**
 * Links the stylesheet. Sites in Latin script preload their fonts, so that the text does not change its font after it
 * is shown.
 */
function styles({ theme, language }: Visit['site'], responses: Visit['responses']): View {
  const { path, fonts } = stylesheetFor(theme, responses);
  const early = new Intl.Locale(language).maximize().script === 'Latn' ? fonts : [];
  return html`<link rel="stylesheet" href="${path}">${each(
    early,
    (font) => html`
<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>`,
  )}`;
}

const imageMeta = ({ url, alt, width, height }: ReturnType<typeof sharedImage>): View =>
  html`<meta property="og:image" content="${url}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
${when(alt, () => html`<meta property="og:image:alt" content="${alt}">`)}`;

const articleMeta = ({ article }: PageContent): View => html`${when(
  article?.published,
  () => html`<meta property="article:published_time" content="${article?.published?.toISOString()}">`,
)}
<meta property="article:modified_time" content="${article?.updated.toISOString()}">
${each(article?.tags ?? [], (tag) => html`<meta property="article:tag" content="${tag}">`)}`;

const joinedTitle = (name: string, headline: string) => (headline ? `${name} · ${headline}` : name);

/** JSON for a script element, escaped so that it cannot end the element. */
const jsonForHtml = (data: object) => JSON.stringify(data).replaceAll('<', '\\u003c');

const header = (
  { reader, strings, site: { theme } }: Visit,
  { name, nav }: LayoutData,
  { path }: PageContent,
): View => html`<header class="top">
<div class="inner">
<a class="name" href="/"${path === '/' ? raw(' aria-current="page"') : ''}>${theme.logo ? html`<img src="${theme.logo}" alt="${name}" height="40">` : name}</a>
<nav aria-label="${strings.siteNav}">
<ul role="list">
${each(nav, (item) => html`<li><a href="${item.path}"${currentFor(item.path, path)}>${item.title}</a></li>`)}
${when(
  reader.signedIn,
  () =>
    html`<li><a href="${sitePaths.account}"${currentFor(sitePaths.account, path)}>${strings.account}</a></li>`,
)}
</ul>
</nav>
</div>
</header>`;

function currentFor(item: string, path: string): View {
  if (path === item) return raw(' aria-current="page"');
  return path.startsWith(`${item}/`) ? raw(' aria-current="true"') : raw('');
}

const has = ({ theme }: Visit['site'], section: SectionName) => theme.sections.includes(section);

const footer = (
  { reader, site, strings }: Visit,
  { name, pages, profile, isSearchable }: LayoutData,
): View => html`<footer class="bottom">
<div class="inner">
<p class="who">${name}${when(profile.location, () => html`<span>${profile.location}</span>`)}</p>
<nav aria-label="${strings.moreNav}">
<ul role="list">
${each(pages.slice(0, 12), (page) => html`<li><a href="/${page.slug}">${page.title}</a></li>`)}
${when(has(site, 'newsletter'), () => html`<li><a href="${sitePaths.newsletter}">${strings.newsletter}</a></li>`)}
${when(has(site, 'testimonials') && hasAny(site, ['testimonials']), () => html`<li><a href="${sitePaths.testimonials}">${strings.testimonials}</a></li>`)}
${when(isSearchable, () => html`<li><a href="${sitePaths.search}">${strings.search}</a></li>`)}
<li><a href="${sitePaths.atom}">${strings.feed}</a></li>
<li>${
  reader.signedIn
    ? html`<a href="${sitePaths.account}">${strings.account}</a>`
    : html`<a href="${sitePaths.signIn}">${strings.signIn}</a>`
}</li>
</ul>
</nav>
</div>
</footer>`;
