import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { Words } from '../../../shared/i18n/en.ts';
import { type Form, isBot } from '../forms/form.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { datesAt } from './dates.ts';
import { emailField, type FormValues, field, formProblem, honeypot, unfilled } from './forms.ts';
import { htmlPage, type PageContent } from './layout.ts';
import { each, joined, nothing, paragraphs, type View, when } from './parts.ts';

/** `/testimonials`: approved testimonials, and a form for a new one. */
export const testimonials = htmlPage({
  uses: ['testimonials'],
  query: ['sent'],
  view: (visit) => (visit.query.sent ? thanks(visit) : testimonialsWith(visit, unfilled)),
});

const testimonialsWith = (visit: Visit, filled: FormValues): Promise<PageContent> =>
  page(
    visit,
    (isFirst) =>
      html`<section class="band" id="write"><h2>${isFirst ? visit.words.beFirst : visit.words.yours}</h2><div>${formWith(visit.words, filled)}</div></section>`,
  );

const thanks = (visit: Visit): Promise<PageContent> =>
  page(
    visit,
    () =>
      html`<section class="band"><h2>${visit.words.yours}</h2><p class="note">${visit.words.thanksForWords}</p></section>`,
  );

async function page(visit: Visit, end: (isFirst: boolean) => View): Promise<PageContent> {
  const { words } = visit;
  const { data } = await visit.read('visitors.testimonials');
  return {
    title: words.testimonials,
    path: sitePaths.testimonials,
    kind: 'testimonials',
    description: words.testimonialsAbout,
    main: html`<div class="opening"><h1>${words.kindWords}</h1></div>
${when(data.length > 0, () => html`<section class="band"><h2>${words.theirs}</h2>${quotes(visit, data)}</section>`)}${end(data.length === 0)}`,
  };
}

const formWith = (
  words: Words,
  filled: FormValues,
): View => html`<form method="post" action="${sitePaths.testimonials}">
${formProblem(words, filled)}
${field({ ...filled, words, name: 'content', label: words.yourWords, required: true, maxlength: 5_000, multiline: true })}
${field({ ...filled, words, name: 'name', label: words.yourName, autocomplete: 'name', required: true, maxlength: 200 })}
${emailField(words, filled, words.neverShown)}
${field({ ...filled, words, name: 'role', label: words.role, autocomplete: 'organization-title', maxlength: 200 })}
${field({ ...filled, words, name: 'company', label: words.company, autocomplete: 'organization', maxlength: 200 })}
<div class="field"><label for="rating">${words.starsField}</label><select id="rating" name="rating">
<option value="">–</option>${each(['5', '4', '3', '2', '1'], (stars) => option(stars, filled.values.rating))}</select></div>
${honeypot(words)}
<p><button type="submit">${words.send}</button></p>
</form>`;

const option = (stars: string, chosen: string | undefined): View =>
  stars === chosen ? html`<option selected>${stars}</option>` : html`<option>${stars}</option>`;

export const testimonialForm: Form = {
  path: sitePaths.testimonials,
  page: testimonials,
  tier: 'normal',
  async submit({ call, values }) {
    const to = `${sitePaths.testimonials}?sent=1`;
    if (isBot(values)) return { to };
    const { name = '', email = '', content = '', company = '', role = '', rating } = values;
    const stars = /^[1-5]$/.test(rating ?? '') ? Number(rating) : null;
    await call('site.testimonials.submit', { name, email, content, company, role, rating: stars });
    return { to };
  },
  again: (filled) => (visit) => testimonialsWith(visit, filled),
};

export async function latestQuotes(visit: Visit): Promise<View | false> {
  const { data } = await visit.read('visitors.testimonials');
  return data.length > 0 && quotes(visit, data.slice(0, 3));
}

const quotes = (visit: Visit, given: readonly Testimonial[]): View =>
  html`<div class="quotes">${each(given, (one) => quote(visit, one))}</div>`;

type Testimonial = OutputOf<'visitors.testimonials'>['data'][number];

const quote = (visit: Visit, { name, role, company, content, rating }: Testimonial): View => html`
<figure>
<blockquote>${paragraphs(content)}</blockquote>
<figcaption><b>${name}</b>${joined(
  ['', role, company].map((part, index) => index > 0 && part && `, ${part}`),
  '',
)}${
  rating
    ? html` <span class="stars" role="img" aria-label="${datesAt(visit).count(visit.words.stars, rating)}">${'★'.repeat(rating)}</span>`
    : nothing
}</figcaption>
</figure>`;
