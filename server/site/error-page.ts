import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { firstSegment } from '../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../shared/i18n/en.ts';
import { siteStrings, stringsForHeader } from '../../shared/i18n/site-strings.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { logOf } from '../http/request-log.ts';
import type { Http } from '../http/send-representation.ts';
import { pageHeaders } from './policy.ts';
import { searchForm } from './views/forms.ts';
import { barePage, htmlPage } from './views/layout.ts';
import { each, intro, when } from './views/parts.ts';
import { postFields, postRow } from './views/records.ts';
import { beginVisit } from './visit.ts';

/** Surfaces for programs. They respond with JSON whatever the client accepts. */
const forPrograms = ['api', 'trpc', 'mcp'];

/** Returns whether the answer to a request is shown to a person: browsers accept `text/html`, programs do not. */
export const isForPeople = ({ headers, url }: FastifyRequest) =>
  /\btext\/html\b/i.test(headers.accept ?? '') &&
  !forPrograms.includes(firstSegment(url.split('?', 1)[0] ?? ''));

export async function sendErrorPage(deps: Deps, error: ApiError, { request, reply }: Http) {
  const inLayout = error.errorCode === 'not_found' ? await notFoundPage(deps, request) : null;
  return reply
    .code(error.status)
    .headers(pageHeaders)
    .header('Cache-Control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(inLayout ?? String(await errorPage(deps, error, stringsFor(request))));
}

/** Renders the not-found page in the site's layout; null if the host has no site, or the site cannot be read. */
async function notFoundPage(deps: Deps, request: FastifyRequest): Promise<string | null> {
  try {
    const { body } = await notFound.render(await beginVisit(deps, request, notFound));
    return body;
  } catch (error) {
    const { status } = toApiError(error, false);
    if (status >= 500)
      logOf(request).error({ err: error }, 'rendering the not-found page failed; a plain page was sent');
    return null;
  }
}

/** Strings in the language of the site if it was found, otherwise in a language of the browser. */
function stringsFor({ raw: { admission }, headers }: FastifyRequest): SiteStrings {
  const caller = admission?.caller;
  return caller?.kind === 'visitor'
    ? siteStrings(caller.site.language)
    : stringsForHeader(headers['accept-language']);
}

const textsIn = (
  strings: SiteStrings,
): Partial<Record<ApiError['errorCode'], readonly [title: string, text: string]>> => ({
  not_found: [strings.nothingHere, strings.notFoundTitle],
  rate_limited: [strings.oneMoment, strings.tooFast],
  payload_too_large: [strings.tooLong, strings.tooLongText],
  database_busy: [strings.oneMoment, strings.crowded],
  database_unavailable: [strings.oneMoment, strings.backShortly],
  writes_paused: [strings.notNow, strings.notNowText],
  busy: [strings.oneMoment, strings.crowded],
  payments_not_configured: [strings.notNow, strings.noPayments],
  provider_unavailable: [strings.notNow, strings.noPayments],
  provider_refused: [strings.notNow, strings.noPayments],
  internal_error: [strings.broken, strings.brokenText],
});

const errorPage = (deps: Deps, { errorCode, message }: ApiError, strings: SiteStrings) => {
  // Messages for programs are in English.
  const [title, text] = textsIn(strings)[errorCode] ?? [strings.failed, englishIn(strings, message)];
  return barePage(deps, strings, { title, main: intro(title, text) });
};

const englishIn = ({ language }: SiteStrings, message: string) =>
  language === 'en' ? message : html`<span lang="en">${message}</span>`;

const notFound = htmlPage({
  uses: ['posts'],
  async view(visit) {
    const { data } = await visit.read('v1.posts.list', { limit: 4, fields: [...postFields] });
    const { strings } = visit;
    const hasPosts = data.length > 0;
    return {
      title: strings.notFound,
      path: '/404',
      kind: 'message',
      hidden: true,
      main: html`<div class="opening"><p class="eyebrow">404</p><h1>${strings.notFoundTitle}</h1>
<p class="lead">${hasPosts ? strings.notFoundSearch : strings.notFoundText}</p>
${when(hasPosts, () => searchForm(strings))}</div>
${when(
  hasPosts,
  () =>
    html`<section class="band"><h2>${strings.recent}</h2><div class="rows">${each(data, (post) => postRow(visit, { ...post, excerpt: '' }))}</div></section>`,
)}`,
    };
  },
});
