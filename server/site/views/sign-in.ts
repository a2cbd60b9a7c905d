import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { Words } from '../../../shared/i18n/en.ts';
import type { OutputOf } from '../procedures.ts';
import { emailField, type FormValues, field, formProblem, honeypot } from './forms.ts';
import { htmlPage, type PageContent } from './layout.ts';
import { intro, joined, type View, when } from './parts.ts';

export const signInPath = (next = '') =>
  next ? `${sitePaths.signIn}?${new URLSearchParams({ next }).toString()}` : sitePaths.signIn;

/** `/sign-in`: an e-mail address first, then the code that was sent to it. */
export const signIn = htmlPage({
  uses: [],
  query: ['next'],
  view: async ({ query, words }) => addressForm(words, { values: query, problems: {} }),
});

export const addressForm = (words: Words, filled: FormValues): PageContent =>
  page(
    words,
    { title: words.signIn, lead: words.signInLead, filled },
    html`${emailField(words, filled)}
${honeypot(words)}<p><button type="submit">${words.sendCode}</button></p>`,
  );

export const codeForm = (words: Words, filled: FormValues): PageContent =>
  page(
    words,
    { title: words.checkMail, lead: words.checkMailLead(filled.values.email ?? ''), filled },
    html`<input type="hidden" name="email" value="${filled.values.email}">
${field({ ...filled, words, name: 'code', label: words.signInCode, autocomplete: 'one-time-code', inputmode: 'numeric', required: true, maxlength: 12 })}
<p class="links"><button type="submit">${words.signIn}</button><a href="${signInPath(filled.values.next)}">${words.otherAddress}</a></p>`,
  );

const page = (
  words: Words,
  { title, lead, filled }: { title: string; lead: string; filled: FormValues },
  fields: View,
): PageContent => ({
  title,
  path: sitePaths.signIn,
  kind: 'form',
  hidden: true,
  main: html`${intro(title, lead)}
<form method="post" action="${sitePaths.signIn}">
${formProblem(words, filled)}
${when(filled.values.next, () => html`<input type="hidden" name="next" value="${filled.values.next}">`)}
${fields}
</form>`,
});

interface Account {
  member: { email: string; open_tiers: readonly string[] };
  preference: OutputOf<'site.newsletter.preference'>;
  /** Courses, purchases and memberships, as terms of the list. */
  held: View;
}

/** `/account`: who is signed in, what that opens, and whether they get the newsletter. */
export const account = (
  words: Words,
  { member: { email, open_tiers }, preference, held }: Account,
): PageContent => ({
  title: words.account,
  path: sitePaths.account,
  kind: 'form',
  hidden: true,
  main: html`<div class="opening"><h1>${words.yourAccount}</h1><p class="lead">${words.signedInAs(email)}</p>
<dl class="facts"><dt>${words.canRead}</dt><dd>${joined([words.readsRegistered, open_tiers.includes('paid') && words.readsSold, open_tiers.includes('members') && words.readsMembers], ', ')}
${when(open_tiers.length > 0, () => html`<p class="meta"><a href="${sitePaths.posts}">${words.allPosts}</a></p>`)}</dd>
${held}<dt>${words.newsletter}</dt><dd>${newsletterChoice(words, preference)}</dd></dl></div>
<form id="account" method="post" action="${sitePaths.signOut}"><p><button type="submit">${words.signOut}</button></p></form>`,
});

function newsletterChoice(words: Words, { receives, complained }: Account['preference']): View {
  if (complained) return html`${words.newsletterComplained}`;
  const [says, change] = receives
    ? [words.newsletterComes, words.unsubscribe]
    : [words.newsletterStays, words.subscribe];
  return html`${says}
<div><button type="submit" form="account" formaction="${sitePaths.account}" name="receives" value="${receives ? 'no' : 'yes'}" class="quiet">${change}</button></div>`;
}
