import { html } from 'hono/html';
import type { Words } from '../../../../shared/words/en.ts';
import type { View } from './parts.ts';

/** A page where a link in a mail of a site leads. */
export type LetterView = (words: Words, site: string) => { title: string; main: View };

const opening = (title: string, lead: string): View =>
  html`<div class="opening"><h1>${title}</h1><p class="lead">${lead}</p></div>`;

/** Programs look at the links of a mail: none of them presses a button. */
const button = (label: string): View =>
  html`<form method="post"><p><button type="submit">${label}</button></p></form>`;

/** Asks whether somebody wants the letters of a site. */
export const confirming: LetterView = (words, site) => ({
  title: words.newsletter,
  main: html`${opening(words.confirmTitle, words.confirmLead(site))}
${button(words.subscribe)}`,
});

/** Somebody gets them, now or since long. */
export const confirmed: LetterView = (words) => ({
  title: words.newsletter,
  main: opening(words.subscribed, words.subscribedLead),
});

/** Asks whether somebody wants no more of them. */
export const leaving: LetterView = (words, site) => ({
  title: words.unsubscribe,
  main: html`${opening(words.leaveTitle, words.leaveLead(site))}
${button(words.unsubscribe)}`,
});

/** Somebody gets no more of them, now or since long. */
export const left: LetterView = (words, site) => ({
  title: words.unsubscribe,
  main: opening(words.left, words.leftLead(site)),
});
