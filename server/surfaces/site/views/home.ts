import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { SectionName } from '../../../../shared/contract/theme.ts';
import { person, website } from '../machines/json-ld.ts';
import type { Visit } from '../page.ts';
import { bodyHtml } from './body.ts';
import { type Dates, datesAt } from './dates.ts';
import { subscribeForm } from './forms.ts';
import type { Frame } from './frame.ts';
import { htmlPage } from './layout.ts';
import { inOwnOrder } from './own-order.ts';
import { each, nothing, outLink, type View, when } from './parts.ts';
import {
  aboutOf,
  courseRow,
  listedFields,
  postRow,
  projectCard,
  quote,
  type Talk,
  talkRow,
} from './records.ts';

/** `/` */
export const home = htmlPage({
  uses: ['posts', 'projects', 'courses', 'talks', 'testimonials', 'media'],
  async view(visit, frame) {
    const dates = datesAt(visit);
    const bands = await Promise.all(visit.site.theme.sections.map((section) => band(section, visit, dates)));
    const { summary } = frame.profile;
    const lead = summary && (await bodyHtml(visit, summary));
    return {
      path: sitePaths.home,
      kind: 'home',
      description: (await visit.texts.opening(summary, 160)) || frame.profile.headline,
      data: [website(visit, frame), await person(visit, frame)],
      main: html`${hero(frame, lead)}${bands}`,
    };
  },
});

function hero({ name, profile }: Frame, lead: View | ''): View {
  const { headline, avatar_url, cta_enabled, cta_text, cta_url } = profile;
  const links = [
    [profile.website, 'Website'],
    [profile.github, 'Code'],
    [profile.linkedin, 'LinkedIn'],
    [profile.twitter, 'Social'],
  ] as const;
  const hasAction = cta_enabled && cta_text && cta_url;
  const hasLinks = hasAction || profile.email || links.some(([href]) => href);
  return html`<section class="hero">
${when(avatar_url, () => html`<div class="face" aria-hidden="true">${[...name][0]}<img src="${avatar_url}" alt="" width="72" height="72"></div>`)}
<h1>${headline || name}</h1>
${when(lead, () => html`<div class="lead prose">${lead}</div>`)}
${when(
  hasLinks,
  () => html`<p class="links">
${when(hasAction, () => html`<a class="button" href="${cta_url}">${cta_text}</a>`)}
${when(profile.email, () => html`<a href="mailto:${profile.email}">E-mail</a>`)}
${each(links, ([href, text]) => outLink(href, text))}
</p>`,
)}
</section>`;
}

/** One section of the page; nothing where there is nothing to show. */
async function band(section: SectionName, visit: Visit, dates: Dates): Promise<View> {
  const { read } = visit;
  switch (section) {
    case 'posts': {
      const fields = [...listedFields];
      const [featured, { items, total }] = await Promise.all([
        read('visitors.pinnedPosts', { fields, include: ['cover'] }),
        read('v2.posts.list', { per_page: 6, sort: '-published_at', fields, include: ['cover'] }),
      ]);
      const pinned = featured.data[0] ?? items[0];
      const others = items.filter(({ id }) => id !== pinned?.id).slice(0, 5);
      return bandOf(
        'Writing',
        pinned &&
          html`<div class="rows">${postRow(pinned, { dates, first: true })}
${each(others, (post) => postRow(post, { dates }))}</div>${moreLink(total > 6, sitePaths.posts, 'All writing')}`,
      );
    }
    case 'projects': {
      const { data, total } = await read('v1.projects.list', { limit: 4, include: ['cover'] });
      const cards = await Promise.all(data.map((project) => projectCard(visit, project, 3)));
      return bandOf(
        'Projects',
        data.length > 0 &&
          html`<div class="cards">${cards}</div>
${moreLink(total > 4, sitePaths.projects, 'All projects')}`,
      );
    }
    case 'courses': {
      const { data } = await read('visitors.courses', { limit: 4, include: ['cover'] });
      const rows = await Promise.all(data.slice(0, 3).map((course) => courseRow(visit, course, 3)));
      return bandOf(
        'Courses',
        data.length > 0 &&
          html`<div class="rows">${rows}</div>
${moreLink(data.length > 3, sitePaths.courses, 'All courses')}`,
      );
    }
    case 'talks': {
      const data = inOwnOrder((await read('v1.talks.list', { include: ['cover'] })).data);
      const rows = await Promise.all(data.slice(0, 3).map((talk) => shortTalk(visit, talk, dates)));
      return bandOf(
        'Talks',
        data.length > 0 &&
          html`<div class="rows">${rows}</div>
${moreLink(data.length > 3, sitePaths.talks, 'All talks')}`,
      );
    }
    case 'testimonials': {
      const { data } = await read('visitors.testimonials');
      return bandOf(
        'Kind words',
        data.length > 0 && html`<div class="quotes">${each(data.slice(0, 3), quote)}</div>`,
      );
    }
    case 'newsletter':
      return bandOf('Newsletter', subscribeForm({ source: 'home', values: {}, problems: {} }));
    case 'cv':
      return nothing;
  }
}

const shortTalk = async (visit: Visit, talk: Talk, dates: Dates): Promise<View> =>
  talkRow(talk, { dates, level: 3, about: await aboutOf(visit, talk) });

const bandOf = (title: string, content: View | false | undefined): View =>
  content ? html`<section class="band"><h2>${title}</h2><div>${content}</div></section>` : nothing;

const moreLink = (hasMore: boolean, path: string, text: string): View =>
  when(
    hasMore,
    () => html`<a class="more" href="${path}">${text} <span class="arrow" aria-hidden="true">→</span></a>`,
  );
