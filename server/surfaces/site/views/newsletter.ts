import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { datesAt } from './dates.ts';
import { type FormValues, subscribeForm } from './forms.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { each, when } from './parts.ts';
import { listedFields, postRow } from './records.ts';

/** `/newsletter` */
export const newsletter = htmlPage({
  uses: ['posts'],
  query: ['sent'],
  view: async (visit, layout) =>
    visit.query.sent ? thanks : newsletterWith({ values: {}, problems: {} })(visit, layout),
});

/** What one gets, how often, what came last, and how to leave; with the form as it was filled in. */
export const newsletterWith =
  (filled: FormValues) =>
  async (visit: Visit, { name, profile }: LayoutData): Promise<PageContent> => {
    const fields = [...listedFields];
    const { items } = await visit.read('v2.posts.list', { per_page: 6, sort: '-published_at', fields });
    const dates = datesAt(visit);
    return {
      title: 'Newsletter',
      path: sitePaths.newsletter,
      kind: 'form',
      description: `New posts by ${name}, by e-mail.`,
      main: html`<div class="opening"><h1>Newsletter</h1><p class="lead">What ${name} writes, by e-mail${rhythmOf(items)}.</p></div>
${subscribeForm({ source: 'newsletter', ...filled })}
<p class="leave meta">To leave, answer any letter${when(
        profile.email,
        () => html`, or write to <a href="mailto:${profile.email}">${profile.email}</a>`,
      )}. Your address is used for nothing else.</p>
${when(
  items.length > 0,
  () =>
    html`<section class="band"><h2>The latest</h2><div class="rows">${each(items.slice(0, 3), (post) =>
      postRow(post, { dates }),
    )}</div></section>`,
)}`,
    };
  };

const dayMs = 86_400_000;

/** How often there is something new, as far as the latest posts tell. */
function rhythmOf(posts: OutputOf<'v2.posts.list'>['items']): string {
  const moments = posts.flatMap(({ published_at }) => (published_at ? [published_at.getTime()] : []));
  if (moments.length < 3) return '';
  const days = (Math.max(...moments) - Math.min(...moments)) / (moments.length - 1) / dayMs;
  const words = rhythms.find(([least]) => days >= least)?.[1];
  return words ? `, lately ${words}` : '';
}

const rhythms = [
  [75, 'a few times a year'],
  [22, 'about once a month'],
  [11, 'about every two weeks'],
  [5, 'about once a week'],
  [1, 'several times a week'],
] as const;

const thanks: PageContent = {
  title: 'Thank you',
  path: sitePaths.newsletter,
  kind: 'message',
  hidden: true,
  main: html`<div class="opening"><h1>You are on the list.</h1><p class="lead">Thank you. The next letter comes to you.</p></div>
<p class="links"><a href="/">Back to the home page</a></p>`,
};
