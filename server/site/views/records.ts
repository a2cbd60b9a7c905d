import { html } from 'hono/html';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { datesAt } from './dates.ts';
import { cardCover, cardCovers, thumbCover } from './images.ts';
import { priceOf, type ShownOffer } from './offers.ts';
import { inOneDirection, joined, lockIcon, middot, outLink, type View, when } from './parts.ts';

type Post = OutputOf<'v1.posts.list'>['data'][number];
type Project = OutputOf<'visitors.projects'>['items'][number];
type Course = OutputOf<'visitors.courses'>['items'][number];
export type Talk = OutputOf<'visitors.talks'>['items'][number];

export async function excerptOf({ texts }: Visit, { description }: { description: string }): Promise<View> {
  const excerpt = await texts.excerpt(description);
  return when(excerpt, () => html`<p class="about">${excerpt}</p>`);
}

/** Fields of posts in lists, without bodies. */
export const postFields = [
  'id',
  'title',
  'slug',
  'excerpt',
  'published_at',
  'is_gated',
  'gate_reason',
] as const;

export type PostSummary = Pick<Post, 'title' | 'slug' | 'excerpt' | 'published_at' | 'is_gated' | 'cover'>;

const publication = (visit: Visit, { published_at, is_gated }: PostSummary): View =>
  html`${datesAt(visit).view(published_at)}${when(is_gated, () => html` ${lockIcon(visit.strings)}`)}`;

/** Row of a post in a list. The `first` one is larger. */
export const postRow = (visit: Visit, post: PostSummary, { first = false } = {}): View => html`
<article class="row${first ? ' first' : ''}">
${first ? cardCover(post) : thumbCover(post)}
<h3><a href="/posts/${post.slug}">${post.title}</a></h3>
<p class="meta">${publication(visit, post)}</p>
${when(post.excerpt, () => html`<p class="about">${post.excerpt}</p>`)}
</article>`;

export const datedPost = (visit: Visit, post: PostSummary): View => html`
<article class="row dated">
<p class="when">${publication(visit, post)}</p>
<div>
${thumbCover(post)}
<h2 class="title"><a href="/posts/${post.slug}">${post.title}</a></h2>
${when(post.excerpt, () => html`<p class="about">${post.excerpt}</p>`)}
</div>
</article>`;

export async function projectCards(visit: Visit, projects: readonly Project[], level: 2 | 3): Promise<View> {
  const coverOf = cardCovers(projects);
  const card = async (project: Project) => html`
<article class="row">
${coverOf(project)}
${heading(level, html`<a href="/projects/${project.slug}">${project.title}</a>`)}
${when(project.status, () => html`<p class="meta">${statusText(visit.strings, project.status)}</p>`)}
${await excerptOf(visit, project)}
${projectLinks(visit.strings, project)}
</article>`;
  return html`<div class="cards">${await Promise.all(projects.map(card))}</div>`;
}

export const projectLinks = (
  strings: SiteStrings,
  { url, repo_url, title }: Pick<Project, 'url' | 'repo_url' | 'title'>,
): View =>
  when(
    url || repo_url,
    () =>
      html`<p class="links">${outLink(url, strings.visit, title)}${outLink(repo_url, strings.source, title)}</p>`,
  );

export async function courseRows(visit: Visit, courses: readonly Course[], level: 2 | 3): Promise<View> {
  const coverOf = cardCovers(courses);
  const { data: offers } = await visit.read('visitors.offers', { collection: 'courses' });
  const row = async (course: Course) => html`
<article class="row pictured">
${coverOf(course)}
<div>
${heading(level, html`<a href="/courses/${course.slug}">${course.title}</a>`)}
<p class="meta">${courseFacts(
    visit,
    course,
    offers.find(({ record_id }) => record_id === course.id),
  )}</p>
${await excerptOf(visit, course)}
</div>
</article>`;
  return html`<div class="rows">${await Promise.all(courses.map(row))}</div>`;
}

/** Returns the translation of a suggested value; undefined for other values, which stay as the owner wrote them. */
const labelFor = (strings: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(strings, name) ? strings[name] : undefined;

export const statusText = ({ statuses }: SiteStrings, status: string) => labelFor(statuses, status) ?? status;

/**
 * Renders the facts of a course on one line: difficulty, hours, and access tier or price. While an offer sells it, its
 * price is the offer's.
 */
export function courseFacts(visit: Visit, course: Course, offer?: ShownOffer): View {
  const { site, strings } = visit;
  const { access_tier, difficulty, estimated_hours, price } = course;
  return inOneDirection(
    joined([
      labelFor(strings.levels, difficulty) ?? difficulty,
      estimated_hours !== null && estimated_hours > 0 && datesAt(visit).count(strings.hours, estimated_hours),
      labelFor(strings.tiers, access_tier) ??
        (offer ? priceOf(visit, offer) : price !== null && priceText(site, price)),
    ]),
  );
}

/** Price in the site's language and currency; without a currency, the number alone. */
function priceText({ language, currency }: Visit['site'], price: number): string {
  if (currency) {
    const money = { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' } as const;
    return price.toLocaleString(language, money);
  }
  const minimumFractionDigits = Number.isInteger(price) ? 0 : 2;
  return price.toLocaleString(language, { minimumFractionDigits, maximumFractionDigits: 2 });
}

export const talkRow = (visit: Visit, talk: Talk, level: 2 | 3, about: View): View => html`
<article class="row dated">
<p class="when">${when(talk.date, () => html`<time datetime="${talk.date?.slice(0, 10)}">${datesAt(visit).partial(talk.date)}</time>`)}</p>
<div>
${thumbCover(talk)}
${heading(level, html`${talk.title}`)}
<p class="meta">${talkEvent(visit.strings, talk)}${talk.location ? joined([talk.event && middot, talk.location], '') : ''}</p>
${about}
${when(
  talk.slides_url || talk.video_url,
  () =>
    html`<p class="links">${outLink(talk.slides_url, visit.strings.slides, talk.title)}${outLink(talk.video_url, visit.strings.recording, talk.title)}</p>`,
)}
</div>
</article>`;

const talkEvent = (strings: SiteStrings, { event, event_url }: Talk): View =>
  event_url ? outLink(event_url, event || strings.event) : html`${event}`;

const heading = (level: 2 | 3, content: View): View =>
  level === 2 ? html`<h2 class="title">${content}</h2>` : html`<h3>${content}</h3>`;
