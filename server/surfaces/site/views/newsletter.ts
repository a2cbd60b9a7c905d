import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { type Filled, subscribeForm } from './forms.ts';
import { type Content, htmlPage } from './layout.ts';

/** `/newsletter` */
export const newsletter = htmlPage({
  uses: [],
  query: ['sent'],
  view: async ({ query }) => (query.sent ? thanks : newsletterForm({ values: {}, problems: {} })),
});

export const newsletterForm = (filled: Filled): Content => ({
  title: 'Newsletter',
  path: sitePaths.newsletter,
  kind: 'form',
  description: 'New posts by e-mail.',
  main: html`<div class="opening"><h1>Newsletter</h1></div>${subscribeForm({ source: 'newsletter', ...filled })}`,
});

const thanks: Content = {
  title: 'Thank you',
  path: sitePaths.newsletter,
  kind: 'message',
  hidden: true,
  main: html`<div class="opening"><h1>You are on the list.</h1><p class="lead">Thank you. The next letter comes to you.</p></div>
<p class="links"><a href="/">Back to the home page</a></p>`,
};
