import { html } from 'hono/html';
import type { Words } from '../../../../shared/words/en.ts';
import { intro, type View } from './parts.ts';

/** A page where a link in a mail of a site leads. */
export type LinkPage = (words: Words, site: string) => { title: string; main: View };

/** Programs look at the links of a mail: none of them presses a button. */
const button = (label: string): View =>
  html`<form method="post"><p><button type="submit">${label}</button></p></form>`;

/** Asks whether somebody wants the newsletter of a site. */
export const confirmPage: LinkPage = (words, site) => ({
  title: words.newsletter,
  main: html`${intro(words.confirmTitle, words.confirmLead(site))}
${button(words.subscribe)}`,
});

/** Somebody gets it, now or since long. */
export const confirmedPage: LinkPage = (words) => ({
  title: words.newsletter,
  main: intro(words.subscribed, words.subscribedLead),
});

/** Asks whether somebody wants no more of it. */
export const unsubscribePage: LinkPage = (words, site) => ({
  title: words.unsubscribe,
  main: html`${intro(words.unsubscribeTitle, words.unsubscribeLead(site))}
${button(words.unsubscribe)}`,
});

/** Somebody gets it no more, now or since long. */
export const unsubscribedPage: LinkPage = (words, site) => ({
  title: words.unsubscribe,
  main: intro(words.unsubscribed, words.unsubscribedLead(site)),
});
