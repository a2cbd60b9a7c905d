import { html } from 'hono/html';
import { listsOnPages } from '../../../shared/contract/limits.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Visit } from '../page.ts';
import { type View, when } from './parts.ts';

interface List {
  items: readonly unknown[];
  page: number;
  per_page: number;
  total: number;
}

export const pageOf = ({ query }: Visit): number =>
  /^[1-9]\d{0,5}$/.test(query.page ?? '') ? Number(query.page) : 1;

/** Returns the number of pages of the longest list at a path, at least 1. Throws `not_found` for a page after the last one. */
export function lastPageOf(...lists: readonly List[]): number {
  if (lists.every(({ page, items }) => page > 1 && items.length === 0)) throw new ApiError('not_found');
  return Math.max(1, ...lists.map(({ total, per_page }) => Math.ceil(total / per_page)));
}

export const pageTitle = (strings: SiteStrings, title: string, page: number) =>
  page > 1 ? strings.titleOfPage(title, page) : title;

export const withPage = (path: string, page: number) => (page > 1 ? `${path}?page=${page}` : path);

interface PagerOptions {
  path: string;
  q?: string | undefined;
  /** Labels of the links to the previous and next page. */
  strings?: readonly [before: string, after: string];
}

export function pager(
  { strings }: Visit,
  [page, last]: readonly [page: number, last: number],
  { path, q, strings: [before, after] = [strings.previous, strings.next] }: PagerOptions,
): View {
  const to = (target: number) => {
    const query = new URLSearchParams([...(q ? [['q', q]] : []), ['page', `${target}`]]);
    return target === 1 && !q ? path : `${path}?${query}`;
  };
  return when(
    last > 1,
    () => html`<nav class="pager" aria-label="${strings.pages}">
${page > 1 ? html`<a href="${to(page - 1)}" rel="prev"><span class="arrow" aria-hidden="true">←</span> ${before}</a>` : html`<span></span>`}
<span>${strings.pageOf(page, last)}</span>
${page < last ? html`<a href="${to(page + 1)}" rel="next">${after} <span class="arrow" aria-hidden="true">→</span></a>` : html`<span></span>`}
</nav>`,
  );
}

export const requestedPage = (visit: Visit) => ({ page: pageOf(visit), per_page: listsOnPages.records });

/**
 * Returns the page of a numbered list of all records of a resource, such as `/courses`. Throws `not_found` after the last
 * page.
 */
export function recordList(visit: Visit, kind: 'projects' | 'courses' | 'talks', list: List, rows: View) {
  const { strings } = visit;
  const path = sitePaths[kind];
  return {
    title: pageTitle(strings, strings[kind], list.page),
    path: withPage(path, list.page),
    kind,
    description: strings[`${kind}About`],
    main: html`<div class="opening"><h1>${strings[kind]}</h1></div>
${list.total === 0 ? html`<p class="lead">${strings.nothingYet}</p>` : rows}${pager(visit, [list.page, lastPageOf(list)], { path })}`,
  };
}
