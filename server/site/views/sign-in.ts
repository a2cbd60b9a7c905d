import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
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
  view: async ({ query, strings }) => addressForm(strings, { values: query, problems: {} }),
});

export const addressForm = (strings: SiteStrings, filled: FormValues): PageContent =>
  page(
    strings,
    { title: strings.signIn, lead: strings.signInLead, filled },
    html`${emailField(strings, filled)}
${honeypot(strings)}<p><button type="submit">${strings.sendCode}</button></p>`,
  );

export const codeForm = (strings: SiteStrings, filled: FormValues): PageContent =>
  page(
    strings,
    { title: strings.checkMail, lead: strings.checkMailLead(filled.values.email ?? ''), filled },
    html`<input type="hidden" name="email" value="${filled.values.email}">
${field({ ...filled, strings, name: 'code', label: strings.signInCode, autocomplete: 'one-time-code', inputmode: 'numeric', required: true, maxlength: 12 })}
<p class="links"><button type="submit">${strings.signIn}</button><a href="${signInPath(filled.values.next)}">${strings.otherAddress}</a></p>`,
  );

const page = (
  strings: SiteStrings,
  { title, lead, filled }: { title: string; lead: string; filled: FormValues },
  fields: View,
): PageContent => ({
  title,
  path: sitePaths.signIn,
  kind: 'form',
  hidden: true,
  main: html`${intro(title, lead)}
<form method="post" action="${sitePaths.signIn}">
${formProblem(strings, filled)}
${when(filled.values.next, () => html`<input type="hidden" name="next" value="${filled.values.next}">`)}
${fields}
</form>`,
});

interface Account {
  member: { email: string; open_tiers: readonly string[] };
  preference: OutputOf<'site.newsletter.preference'>;
  /** Courses, purchases and memberships, as terms of the list. */
  held: View;
  problems: FormValues['problems'];
}

/** `/account`: the member's email address, open tiers, purchases and newsletter setting. */
export const account = (
  strings: SiteStrings,
  { member: { email, open_tiers }, preference, held, problems }: Account,
): PageContent => ({
  title: strings.account,
  path: sitePaths.account,
  kind: 'form',
  hidden: true,
  main: html`<div class="opening"><h1>${strings.yourAccount}</h1><p class="lead">${strings.signedInAs(email)}</p>
${formProblem(strings, { problems })}
<dl class="facts"><dt>${strings.canRead}</dt><dd>${joined([strings.readsRegistered, open_tiers.includes('paid') && strings.readsSold, open_tiers.includes('members') && strings.readsMembers], ', ')}
${when(open_tiers.length > 0, () => html`<p class="meta"><a href="${sitePaths.posts}">${strings.allPosts}</a></p>`)}</dd>
${held}<dt>${strings.newsletter}</dt><dd>${newsletterChoice(strings, preference)}</dd></dl></div>
<form id="account" method="post" action="${sitePaths.signOut}"><p><button type="submit">${strings.signOut}</button></p></form>`,
});

function newsletterChoice(strings: SiteStrings, { receives, complained }: Account['preference']): View {
  if (complained) return html`${strings.newsletterComplained}`;
  const [says, change] = receives
    ? [strings.newsletterComes, strings.unsubscribe]
    : [strings.newsletterStays, strings.subscribe];
  return html`${says}
<div><button type="submit" form="account" formaction="${sitePaths.account}" name="receives" value="${receives ? 'no' : 'yes'}" class="quiet">${change}</button></div>`;
}
