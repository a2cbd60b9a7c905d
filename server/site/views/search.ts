import { html, raw } from 'hono/html';
import { type Found, searchedCollections } from '../../../shared/contract/features/search.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import type { Visit } from '../page.ts';
import { datesAt } from './dates.ts';
import { searchForm } from './forms.ts';
import { htmlPage } from './layout.ts';
import { each, inOneDirection, type View, when } from './parts.ts';

/** Maximum number of results. There are no further pages. */
const max = 30;

/** `/search`, with the results for `q`. */
export const search = htmlPage({
  uses: searchedCollections,
  query: ['q'],
  async view(visit) {
    const { read, strings } = visit;
    const { q } = visit.query;
    const found = q === undefined ? undefined : await read('v1.search', { q, limit: max });
    return {
      title: q === undefined ? strings.search : strings.searchFor(q),
      path: sitePaths.search,
      kind: 'posts',
      hidden: true,
      main: html`<div class="opening"><h1>${q === undefined ? strings.search : strings.quoted(q)}</h1>
${when(found, () => html`<p class="lead">${inOneDirection(outcome(visit, found?.nearest ? 0 : (found?.data.length ?? 0)))}</p>`)}
${searchForm(strings, q, sitePaths.search)}</div>
${when(
  found?.data.length,
  () => html`<section class="found" aria-label="${found?.nearest ? strings.similar : strings.results}">
${when(found?.nearest, () => html`<h2>${strings.didYouMean}</h2>`)}
<div class="rows">${each(found?.data ?? [], (result) => row(strings, result))}</div></section>`,
)}`,
    };
  },
});

function outcome(visit: Visit, count: number): string {
  if (count === 0) return visit.strings.nothingFound;
  return count === max
    ? visit.strings.bestResults(max)
    : datesAt(visit).count(visit.strings.resultCount, count);
}

const kinds = {
  posts: 'posts',
  projects: 'project',
  courses: 'course',
  talks: 'talk',
  pages: 'page',
} as const satisfies Record<Found['type'], keyof SiteStrings>;

/** Snippets are HTML in which everything except the highlights is escaped. */
const row = (strings: SiteStrings, { type, url, title, snippet }: Found): View => html`
<article class="row dated">
<p class="when">${strings[kinds[type]]}</p>
<div>
<h2 class="title"><a href="${url}">${title}</a></h2>
${when(snippet, () => html`<p class="about">${raw(snippet)}</p>`)}
</div>
</article>`;
