import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { isBot, type PageForm } from '../forms/form.ts';
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
      html`<section class="band" id="write"><h2>${isFirst ? visit.strings.beFirst : visit.strings.yours}</h2><div>${formWith(visit.strings, filled)}</div></section>`,
  );

const thanks = (visit: Visit): Promise<PageContent> =>
  page(
    visit,
    () =>
      html`<section class="band"><h2>${visit.strings.yours}</h2><p class="note">${visit.strings.thanksForWords}</p></section>`,
  );

async function page(visit: Visit, end: (isFirst: boolean) => View): Promise<PageContent> {
  const { strings } = visit;
  const { data } = await visit.read('visitors.testimonials');
  return {
    title: strings.testimonials,
    path: sitePaths.testimonials,
    kind: 'testimonials',
    description: strings.testimonialsAbout,
    main: html`<div class="opening"><h1>${strings.kindWords}</h1></div>
${when(data.length > 0, () => html`<section class="band"><h2>${strings.theirs}</h2>${quotes(visit, data)}</section>`)}${end(data.length === 0)}`,
  };
}

const formWith = (
  strings: SiteStrings,
  filled: FormValues,
): View => html`<form method="post" action="${sitePaths.testimonials}">
${formProblem(strings, filled)}
${field({ ...filled, strings, name: 'content', label: strings.yourWords, required: true, maxlength: 5_000, multiline: true })}
${field({ ...filled, strings, name: 'name', label: strings.yourName, autocomplete: 'name', required: true, maxlength: 200 })}
${emailField(strings, filled, strings.neverShown)}
${field({ ...filled, strings, name: 'role', label: strings.role, autocomplete: 'organization-title', maxlength: 200 })}
${field({ ...filled, strings, name: 'company', label: strings.company, autocomplete: 'organization', maxlength: 200 })}
<div class="field"><label for="rating">${strings.starsField}</label><select id="rating" name="rating">
<option value="">–</option>${each(['5', '4', '3', '2', '1'], (stars) => option(stars, filled.values.rating))}</select></div>
${honeypot(strings)}
<p><button type="submit">${strings.send}</button></p>
</form>`;

const option = (stars: string, chosen: string | undefined): View =>
  stars === chosen ? html`<option selected>${stars}</option>` : html`<option>${stars}</option>`;

export const testimonialForm: PageForm = {
  path: sitePaths.testimonials,
  calls: ['site.testimonials.submit'],
  // A testimonial of 5,000 characters fits in any script.
  maxBytes: 64 * 1024,
  page: testimonials,
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
    ? html` <span class="stars" role="img" aria-label="${datesAt(visit).count(visit.strings.stars, rating)}">${'★'.repeat(rating)}</span>`
    : nothing
}</figcaption>
</figure>`;
