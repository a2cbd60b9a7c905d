import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { type FormValues, field, formProblem, honeypot } from './forms.ts';
import { htmlPage, type PageContent } from './layout.ts';
import { joined, type View, when } from './parts.ts';

/** Where a reader signs in who is to be at `next` afterwards. */
export const signInPath = (next = '') =>
  next ? `${sitePaths.signIn}?${new URLSearchParams({ next }).toString()}` : sitePaths.signIn;

/** `/sign-in`: an e-mail address first, then the code that was sent to it. */
export const signIn = htmlPage({
  uses: [],
  query: ['next'],
  view: async ({ query }) => addressForm({ values: query, problems: {} }),
});

export const addressForm = (filled: FormValues): PageContent =>
  page(
    'Sign in',
    'No password: we send you a code. New here? It makes your account.',
    html`${field({ ...filled, name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email', required: true, maxlength: 254 })}
${honeypot}<p><button type="submit">Send me a code</button></p>`,
    filled,
  );

export const codeForm = (filled: FormValues): PageContent =>
  page(
    'Check your mail',
    `If ${filled.values.email} can sign in here, a code of six digits is on its way. It works for ten minutes.`,
    html`<input type="hidden" name="email" value="${filled.values.email}">
${field({ ...filled, name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', required: true, maxlength: 12 })}
<p class="links"><button type="submit">Sign in</button><a href="${signInPath(filled.values.next)}">Another address</a></p>`,
    filled,
  );

const page = (title: string, lead: string, fields: View, filled: FormValues): PageContent => ({
  title,
  path: sitePaths.signIn,
  kind: 'form',
  hidden: true,
  main: html`<div class="opening"><h1>${title}</h1><p class="lead">${lead}</p></div>
<form method="post" action="${sitePaths.signIn}">
${formProblem(filled)}
${when(filled.values.next, () => html`<input type="hidden" name="next" value="${filled.values.next}">`)}
${fields}
</form>`,
});

/** `/account`: who is signed in, and what that opens. */
export const account = ({
  email,
  access_tiers,
}: {
  email: string;
  access_tiers: readonly string[];
}): PageContent => ({
  title: 'Account',
  path: sitePaths.account,
  kind: 'form',
  hidden: true,
  main: html`<div class="opening"><h1>Your account</h1><p class="lead">You are signed in as ${email}.</p>
<dl class="facts"><dt>You can read</dt><dd>${joined(['everything for registered readers', access_tiers.includes('paid') && 'everything that is sold', access_tiers.includes('members') && 'everything for members'], ', ')}</dd></dl></div>
<form method="post" action="${sitePaths.signOut}"><p><button type="submit">Sign out</button></p></form>`,
});
