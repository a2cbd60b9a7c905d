import { html, raw } from 'hono/html';
import { type Found, searchedCollections } from '../../../../shared/contract/search.ts';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { searchForm } from './forms.ts';
import { htmlPage } from './layout.ts';
import { countOf, each, inOneDirection, type View, when } from './parts.ts';

/** Most that one page shows: who finds nothing among these asks with other words. */
const most = 30;

/** `/search`, and what holds the words of `q`. */
export const search = htmlPage({
  uses: searchedCollections,
  query: ['q'],
  async view({ read, query: { q } }) {
    const found = q === undefined ? undefined : await read('v1.search', { q, limit: most });
    return {
      title: q === undefined ? 'Search' : `Search: ${q}`,
      path: sitePaths.search,
      kind: 'posts',
      hidden: true,
      main: html`<div class="opening"><h1>${q === undefined ? 'Search' : `“${q}”`}</h1>
${when(found, () => html`<p class="lead">${inOneDirection(outcome(found?.nearest ? 0 : (found?.data.length ?? 0)))}</p>`)}
${searchForm(q, sitePaths.search)}</div>
${when(
  found?.data.length,
  () => html`<section class="found" aria-label="${found?.nearest ? 'Similar titles' : 'Results'}">
${when(found?.nearest, () => html`<h2>Did you mean</h2>`)}
<div class="rows">${each(found?.data ?? [], row)}</div></section>`,
)}`,
    };
  },
});

function outcome(count: number): string {
  if (count === 0) return 'Nothing found.';
  return count === most ? `The best ${most} results` : countOf(count, 'result');
}

const kinds: Readonly<Record<Found['type'], string>> = {
  posts: 'Writing',
  projects: 'Project',
  courses: 'Course',
  talks: 'Talk',
  pages: 'Page',
};

/** Snippets are HTML already, in which nothing but the marks is not escaped. */
const row = ({ type, url, title, snippet }: Found): View => html`
<article class="row dated">
<p class="when">${kinds[type]}</p>
<div>
<h2 class="title"><a href="${url}">${title}</a></h2>
${when(snippet, () => html`<p class="about">${raw(snippet)}</p>`)}
</div>
</article>`;
