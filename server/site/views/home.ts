import { html } from 'hono/html';
import { mailtoUrl } from '../../../shared/contract/email.ts';
import type { SectionName } from '../../../shared/contract/features/theme.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { person, website } from '../feeds/json-ld.ts';
import type { Visit } from '../page.ts';
import { bodyHtml } from './body.ts';
import { subscribeForm, unfilled } from './forms.ts';
import { portrait } from './images.ts';
import { htmlPage } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { offerCollections } from './offers.ts';
import { band, each, nothing, outLink, type View, when } from './parts.ts';
import { courseRows, excerptOf, postFields, postRow, projectCards, type Talk, talkRow } from './records.ts';
import { latestQuotes } from './testimonials.ts';

/** `/` */
export const home = htmlPage({
  uses: ['posts', 'projects', 'courses', 'talks', 'testimonials', 'media', ...offerCollections],
  async view(visit, layout) {
    const sections = await Promise.all(visit.site.theme.sections.map((name) => section(visit, name)));
    const { summary } = layout.profile;
    const lead = summary && (await bodyHtml(visit, summary));
    const face = await portrait(visit, layout, 'hero');
    return {
      path: sitePaths.home,
      kind: 'home',
      description: (await visit.texts.excerpt(summary, 160)) || layout.profile.headline,
      data: [website(visit, layout), await person(visit, layout)],
      main: html`${hero(visit.strings, layout, { lead, face })}${sections}`,
    };
  },
});

function hero(
  strings: SiteStrings,
  { name, profile }: LayoutData,
  { lead, face }: { lead: View | ''; face: View },
): View {
  const { headline, cta_enabled, cta_text, cta_url } = profile;
  const links = [
    [profile.website, strings.website],
    [profile.github, strings.code],
    [profile.linkedin, 'LinkedIn'],
    [profile.twitter, hostOf(profile.twitter)],
  ] as const;
  const hasAction = cta_enabled && cta_text && cta_url;
  const hasLinks = hasAction || profile.email || links.some(([href]) => href);
  return html`<section class="hero">${face}<div>
<h1>${headline || name}</h1>
${when(lead, () => html`<div class="lead prose">${lead}</div>`)}
${when(
  hasLinks,
  () => html`<p class="links">
${when(hasAction, () => html`<a class="button" href="${cta_url}">${cta_text}</a>`)}
${when(profile.email, () => html`<a href="${mailtoUrl(profile.email)}">${strings.email}</a>`)}
${each(links, ([href, text]) => outLink(href, text))}
</p>`,
)}
</div></section>`;
}

/** Host of a social network's URL, as the link's text. */
const hostOf = (address: string) => URL.parse(address)?.host.replace(/^www\./, '') ?? address;

async function section(visit: Visit, name: SectionName): Promise<View> {
  const { read, strings } = visit;
  switch (name) {
    case 'posts': {
      const fields = [...postFields];
      const [featured, { items, total }] = await Promise.all([
        read('visitors.pinnedPosts', { fields, include: ['cover'] }),
        read('v2.posts.list', { per_page: 6, sort: '-published_at', fields, include: ['cover'] }),
      ]);
      const pinned = featured.data[0] ?? items[0];
      const others = items.filter(({ id }) => id !== pinned?.id).slice(0, 5);
      return band(
        strings.posts,
        pinned &&
          html`<div class="rows">${postRow(visit, pinned, { first: true })}
${each(others, (post) => postRow(visit, post))}</div>${moreLink(total > 6, sitePaths.posts, strings.allPosts)}`,
      );
    }
    case 'projects': {
      const list = await read('visitors.projects', { page: 1, per_page: 4 });
      return listBand(visit, 'projects', list, await projectCards(visit, list.items, 3));
    }
    case 'courses': {
      const list = await read('visitors.courses', { page: 1, per_page: 3 });
      return listBand(visit, 'courses', list, await courseRows(visit, list.items, 3));
    }
    case 'talks': {
      const list = await read('visitors.talks', { page: 1, per_page: 3 });
      const row = async (talk: Talk) => talkRow(visit, talk, 3, await excerptOf(visit, talk));
      const rows = await Promise.all(list.items.map(row));
      return listBand(visit, 'talks', list, html`<div class="rows">${rows}</div>`);
    }
    case 'testimonials': {
      return band(strings.kindWords, await latestQuotes(visit));
    }
    case 'newsletter':
      return band(strings.newsletter, subscribeForm(strings, { source: 'home', ...unfilled }));
    case 'cv':
      return nothing;
  }
}

/** Section with the first records of a list, and a link to the whole list if it has more; nothing for an empty list. */
function listBand(
  { strings }: Visit,
  kind: 'projects' | 'courses' | 'talks',
  { items, total, per_page }: { items: readonly unknown[]; total: number; per_page: number },
  rows: View,
): View {
  const all = { projects: strings.allProjects, courses: strings.allCourses, talks: strings.allTalks };
  return band(
    strings[kind],
    items.length > 0 &&
      html`${rows}
${moreLink(total > per_page, sitePaths[kind], all[kind])}`,
  );
}

const moreLink = (hasMore: boolean, path: string, text: string): View =>
  when(
    hasMore,
    () => html`<a class="more" href="${path}">${text} <span class="arrow" aria-hidden="true">→</span></a>`,
  );
