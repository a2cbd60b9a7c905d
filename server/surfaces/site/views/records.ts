import { html } from 'hono/html';
import type { PageTexts } from '../page-texts.ts';
import type { OutputOf } from '../procedures.ts';
import { cardCover, thumbCover } from './cover.ts';
import type { Dates } from './dates.ts';
import {
  countOf,
  inOneDirection,
  joined,
  lockIcon,
  middot,
  nothing,
  outLink,
  paragraphs,
  type View,
  when,
} from './parts.ts';

type Post = OutputOf<'v1.posts.list'>['data'][number];
type Project = OutputOf<'v1.projects.list'>['data'][number];
type Course = OutputOf<'visitors.courses'>['data'][number];
export type Talk = OutputOf<'v1.talks.list'>['data'][number];
type Testimonial = OutputOf<'visitors.testimonials'>['data'][number];

interface Where {
  texts: PageTexts;
}

/** How what was written about a record begins. */
export async function aboutOf({ texts }: Where, { description }: { description: string }): Promise<View> {
  const opening = await texts.opening(description);
  return when(opening, () => html`<p class="about">${opening}</p>`);
}

/** What lists of posts show: never a body. */
export const listedFields = [
  'id',
  'title',
  'slug',
  'excerpt',
  'tags',
  'published_at',
  'is_gated',
  'gate_reason',
] as const;

export type ListedPost = Pick<Post, 'title' | 'slug' | 'excerpt' | 'published_at' | 'is_gated' | 'cover'>;

interface RowOptions {
  dates: Dates;
  /** Larger, before the others. */
  first?: boolean;
}

const gateMark = (post: ListedPost): View => when(post.is_gated, () => html` ${lockIcon}`);

export const postRow = (post: ListedPost, { dates, first = false }: RowOptions): View => html`
<article class="row${first ? ' first' : ''}">
${first ? cardCover(post) : thumbCover(post)}
<h3><a href="/posts/${post.slug}">${post.title}</a></h3>
<p class="meta">${dates.view(post.published_at)}${gateMark(post)}</p>
${when(post.excerpt, () => html`<p class="about">${post.excerpt}</p>`)}
</article>`;

/** With the date in a column of its own. */
export const datedPost = (post: ListedPost, dates: Dates): View => html`
<article class="row dated">
<p class="when">${dates.view(post.published_at)}${gateMark(post)}</p>
<div>
${thumbCover(post)}
<h2 class="title"><a href="/posts/${post.slug}">${post.title}</a></h2>
${when(post.excerpt, () => html`<p class="about">${post.excerpt}</p>`)}
</div>
</article>`;

export const projectCard = async (where: Where, project: Project, level: 2 | 3): Promise<View> => html`
<article class="row">
${cardCover(project)}
${heading(level, html`<a href="/projects/${project.slug}">${project.title}</a>`)}
${when(project.status, () => html`<p class="meta">${project.status}</p>`)}
${await aboutOf(where, project)}
</article>`;

export const courseRow = async (where: Where, course: Course, level: 2 | 3): Promise<View> => html`
<article class="row">
${thumbCover(course)}
${heading(level, html`<a href="/courses/${course.slug}">${course.title}</a>`)}
<p class="meta">${courseFacts(course)}</p>
${await aboutOf(where, course)}
</article>`;

export const courseFacts = (course: Course): View =>
  inOneDirection(
    joined([
      course.difficulty,
      course.estimated_hours ? countOf(course.estimated_hours, 'hour') : '',
      course.access_tier === 'free'
        ? 'free'
        : course.price === null
          ? ''
          : `price ${priceText(course.price)}`,
    ]),
  );

/** No site says its currency yet, so the number stands alone. */
const priceText = (price: number) => (Number.isInteger(price) ? `${price}` : price.toFixed(2));

interface TalkOptions {
  dates: Dates;
  level: 2 | 3;
  /** What it was about. */
  about: View;
}

export const talkRow = (talk: Talk, { dates, level, about }: TalkOptions): View => html`
<article class="row dated">
<p class="when">${when(talk.date, () => html`<time datetime="${talk.date?.slice(0, 10)}">${dates.partial(talk.date)}</time>`)}</p>
<div>
${thumbCover(talk)}
${heading(level, html`${talk.title}`)}
<p class="meta">${talkEvent(talk)}${talk.location ? joined([talk.event && middot, talk.location], '') : ''}</p>
${about}
${when(
  talk.slides_url || talk.video_url,
  () =>
    html`<p class="links meta">${outLink(talk.slides_url, 'Slides')}${outLink(talk.video_url, 'Video')}</p>`,
)}
</div>
</article>`;

const talkEvent = ({ event, event_url }: Talk): View =>
  event_url ? outLink(event_url, event || 'Event') : html`${event}`;

export const quote = ({ name, role, company, content, rating }: Testimonial): View => html`
<figure>
<blockquote>${paragraphs(content)}</blockquote>
<figcaption><b>${name}</b>${joined(
  ['', role, company].map((part, index) => index > 0 && part && `, ${part}`),
  '',
)}${
  rating
    ? html` <span class="stars" role="img" aria-label="${rating} of 5 stars">${'★'.repeat(rating)}</span>`
    : nothing
}</figcaption>
</figure>`;

const heading = (level: 2 | 3, content: View): View =>
  level === 2 ? html`<h2 class="title">${content}</h2>` : html`<h3>${content}</h3>`;
