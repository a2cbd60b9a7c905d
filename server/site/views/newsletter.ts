import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { type FormValues, subscribeForm, unfilled } from './forms.ts';
import { htmlPage, type PageContent } from './layout.ts';
import type { LayoutData } from './layout-data.ts';
import { each, intro, type View, when, withAddress } from './parts.ts';
import { postFields, postRow } from './records.ts';

/** `/newsletter` */
export const newsletter = htmlPage({
  uses: ['posts'],
  query: ['sent'],
  view: async (visit, layout) =>
    visit.query.sent ? thanks(visit.strings, visit.query.sent) : newsletterWith(unfilled)(visit, layout),
});

/**
 * Newsletter page: what it offers, how often it appears, its latest posts, how to unsubscribe, and the form with its values.
 */
export const newsletterWith =
  (filled: FormValues) =>
  async (visit: Visit, { creator, profile }: LayoutData): Promise<PageContent> => {
    const { strings } = visit;
    const fields = [...postFields];
    const { items } = await visit.read('v2.posts.list', { per_page: 6, sort: '-published_at', fields });
    return {
      title: strings.newsletter,
      path: sitePaths.newsletter,
      kind: 'form',
      description: strings.newsletterAbout(creator),
      main: html`${intro(strings.newsletter, leadOf(strings, creator, items))}
${subscribeForm(strings, { source: 'newsletter', ...filled })}
<p class="unsubscribe-note meta">${howToUnsubscribe(strings, profile.email)}</p>
${when(
  items.length > 0,
  () =>
    html`<section class="band"><h2>${strings.latest}</h2><div class="rows">${each(items.slice(0, 3), (post) =>
      postRow(visit, post),
    )}</div></section>`,
)}`,
    };
  };

const howToUnsubscribe = ({ unsubscribeNote, unsubscribeOrWrite }: SiteStrings, email: string): View =>
  email ? withAddress(unsubscribeOrWrite, email) : html`${unsubscribeNote}`;

const dayMs = 86_400_000;

/** Returns the introduction with the frequency of posts, estimated from the latest ones. */
function leadOf(strings: SiteStrings, name: string, posts: OutputOf<'v2.posts.list'>['items']): string {
  const timestamps = posts.flatMap(({ published_at }) => (published_at ? [published_at.getTime()] : []));
  if (timestamps.length < 3) return strings.newsletterLead(name);
  const days = (Math.max(...timestamps) - Math.min(...timestamps)) / (timestamps.length - 1) / dayMs;
  const rhythm = rhythms.find(([min]) => days >= min)?.[1];
  return rhythm ? strings.newsletterRhythm(name, strings.rhythms[rhythm]) : strings.newsletterLead(name);
}

const rhythms = [
  [75, 'yearly'],
  [22, 'monthly'],
  [11, 'fortnightly'],
  [5, 'weekly'],
  [1, 'often'],
] as const;

/** Returns the page after subscribing. If `sent` is `mail`, the visitor must still confirm by email. */
const thanks = (strings: SiteStrings, sent: string): PageContent => {
  const [title, lead] =
    sent === 'mail'
      ? [strings.checkMail, strings.confirmationSent]
      : [strings.subscribed, strings.subscribedLead];
  return {
    title: strings.thankYou,
    path: sitePaths.newsletter,
    kind: 'message',
    hidden: true,
    main: html`${intro(title, lead)}
<p class="links"><a href="/">${strings.backHome}</a></p>`,
  };
};
