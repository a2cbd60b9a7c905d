import { html } from 'hono/html';
import type { Words } from '../../../../shared/words/en.ts';
import type { View } from './parts.ts';

interface LeavingPage {
  title: string;
  main: View;
}

/** Asks whether somebody wants no more letters of a site. Programs look at the links of a mail: none of them presses a button. */
export const leaving = (words: Words, site: string): LeavingPage => ({
  title: words.unsubscribe,
  main: html`<div class="opening"><h1>${words.leaveTitle}</h1><p class="lead">${words.leaveLead(site)}</p></div>
<form method="post"><p><button type="submit">${words.unsubscribe}</button></p></form>`,
});

/** Somebody gets no more of them, now or since long. */
export const left = (words: Words, site: string): LeavingPage => ({
  title: words.unsubscribe,
  main: html`<div class="opening"><h1>${words.left}</h1><p class="lead">${words.leftLead(site)}</p></div>`,
});
