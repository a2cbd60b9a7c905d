import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { Words } from '../../../shared/i18n/en.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { type FormValues, subscribeForm, unfilled } from './forms.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { each, intro, type View, when, withAddress } from './parts.ts';
import { listedFields, postRow } from './records.ts';

/** `/newsletter` */
export const newsletter = htmlPage({
  uses: ['posts'],
  query: ['sent'],
  view: async (visit, layout) =>
    visit.query.sent ? thanks(visit.words, visit.query.sent) : newsletterWith(unfilled)(visit, layout),
});

/**
 * Newsletter page: what it offers, how often it appears, its latest posts, how to unsubscribe, and the form with its values.
 */
export const newsletterWith =
  (filled: FormValues) =>
  async (visit: Visit, { creator, profile }: LayoutData): Promise<PageContent> => {
    const { words } = visit;
    const fields = [...listedFields];
    const { items } = await visit.read('v2.posts.list', { per_page: 6, sort: '-published_at', fields });
    return {
      title: words.newsletter,
      path: sitePaths.newsletter,
      kind: 'form',
      description: words.newsletterAbout(creator),
      main: html`${intro(words.newsletter, leadOf(words, creator, items))}
${subscribeForm(words, { source: 'newsletter', ...filled })}
<p class="unsubscribe-note meta">${howToUnsubscribe(words, profile.email)}</p>
${when(
  items.length > 0,
  () =>
    html`<section class="band"><h2>${words.latest}</h2><div class="rows">${each(items.slice(0, 3), (post) =>
      postRow(visit, post),
    )}</div></section>`,
)}`,
    };
  };

const howToUnsubscribe = ({ unsubscribeNote, unsubscribeOrWrite }: Words, email: string): View =>
  email ? withAddress(unsubscribeOrWrite, email) : html`${unsubscribeNote}`;

const dayMs = 86_400_000;

/** Introduction with the frequency of posts, estimated from the latest ones. */
function leadOf(words: Words, name: string, posts: OutputOf<'v2.posts.list'>['items']): string {
  const moments = posts.flatMap(({ published_at }) => (published_at ? [published_at.getTime()] : []));
  if (moments.length < 3) return words.newsletterLead(name);
  const days = (Math.max(...moments) - Math.min(...moments)) / (moments.length - 1) / dayMs;
  const rhythm = rhythms.find(([least]) => days >= least)?.[1];
  return rhythm ? words.newsletterRhythm(name, words.rhythms[rhythm]) : words.newsletterLead(name);
}

const rhythms = [
  [75, 'yearly'],
  [22, 'monthly'],
  [11, 'fortnightly'],
  [5, 'weekly'],
  [1, 'often'],
] as const;

/** Page after subscribing; with `mail`, the visitor must still confirm by email. */
const thanks = (words: Words, sent: string): PageContent => {
  const [title, lead] =
    sent === 'mail' ? [words.checkMail, words.confirmationSent] : [words.subscribed, words.subscribedLead];
  return {
    title: words.thankYou,
    path: sitePaths.newsletter,
    kind: 'message',
    hidden: true,
    main: html`${intro(title, lead)}
<p class="links"><a href="/">${words.backHome}</a></p>`,
  };
};
