import { html } from 'hono/html';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import type { Visit } from '../page.ts';
import { type Filled, field, formProblem, trap } from './forms.ts';
import { type Content, htmlPage } from './layout.ts';
import { each, type View, when } from './parts.ts';
import { quote } from './records.ts';

/** `/testimonials`: those that the owner approved of, and a form for one more. */
export const testimonials = htmlPage({
  uses: ['testimonials'],
  query: ['sent'],
  view: (visit) => (visit.query.sent ? thanks(visit) : testimonialsWith(visit, { values: {}, problems: {} })),
});

export const testimonialsWith = (visit: Visit, filled: Filled): Promise<Content> =>
  page(
    visit,
    (isFirst) =>
      html`<section class="band" id="write"><h2>${isFirst ? 'Be the first' : 'Yours'}</h2><div>${form(filled)}</div></section>`,
  );

const thanks = (visit: Visit): Promise<Content> =>
  page(
    visit,
    () =>
      html`<section class="band"><h2>Yours</h2><p class="note">Thank you for your words. They appear here once they are approved.</p></section>`,
  );

async function page({ read }: Visit, end: (isFirst: boolean) => View): Promise<Content> {
  const { data } = await read('visitors.testimonials');
  return {
    title: 'Testimonials',
    path: sitePaths.testimonials,
    kind: 'testimonials',
    description: 'What people say.',
    main: html`<div class="opening"><h1>Kind words</h1></div>
${when(data.length > 0, () => html`<section class="band"><h2>Theirs</h2><div class="quotes">${each(data, quote)}</div></section>`)}${end(data.length === 0)}`,
  };
}

const form = (filled: Filled): View => html`<form method="post" action="${sitePaths.testimonials}">
${formProblem(filled)}
${field({ ...filled, name: 'content', label: 'What would you like to say?', required: true, maxlength: 5_000, multiline: true })}
${field({ ...filled, name: 'name', label: 'Your name', autocomplete: 'name', required: true, maxlength: 200 })}
${field({ ...filled, name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email', hint: 'Never shown.', required: true, maxlength: 254 })}
${field({ ...filled, name: 'role', label: 'Role (optional)', autocomplete: 'organization-title', maxlength: 200 })}
${field({ ...filled, name: 'company', label: 'Company (optional)', autocomplete: 'organization', maxlength: 200 })}
<div class="field"><label for="rating">Stars (optional)</label><select id="rating" name="rating">
<option value="">–</option>${each(['5', '4', '3', '2', '1'], (stars) => option(stars, filled.values.rating))}</select></div>
${trap}
<p><button type="submit">Send</button></p>
</form>`;

const option = (stars: string, chosen: string | undefined): View =>
  stars === chosen ? html`<option selected>${stars}</option>` : html`<option>${stars}</option>`;
