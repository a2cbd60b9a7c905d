import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { firstSegment } from '../../shared/contract/site-paths.ts';
import type { Words } from '../../shared/i18n/en.ts';
import { wordsForHeader, wordsOf } from '../../shared/i18n/words.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import type { Http } from '../http/answer.ts';
import { logOf } from '../http/request-log.ts';
import { pageHeaders } from './policy.ts';
import { searchForm } from './views/forms.ts';
import { barePage, htmlPage } from './views/layout.ts';
import { each, intro, when } from './views/parts.ts';
import { listedFields, postRow } from './views/records.ts';
import { beginVisit } from './visit.ts';

/** Surfaces for programs. They respond with JSON whatever the client accepts. */
const forPrograms = ['api', 'trpc', 'mcp'];

/** Returns whether an error is shown to a person: browsers accept `text/html`, programs do not. */
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
    .send(inLayout ?? String(await errorPage(deps, error, wordsFor(request))));
}

/** Not-found page in the site's layout; null if the host has no site, or the site cannot be read. */
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
function wordsFor({ raw: { admission }, headers }: FastifyRequest): Words {
  const caller = admission?.caller;
  return caller?.kind === 'visitor'
    ? wordsOf(caller.site.language)
    : wordsForHeader(headers['accept-language']);
}

const textsIn = (
  words: Words,
): Partial<Record<ApiError['errorCode'], readonly [title: string, text: string]>> => ({
  not_found: [words.nothingHere, words.notFoundTitle],
  rate_limited: [words.oneMoment, words.tooFast],
  payload_too_large: [words.tooLong, words.tooLongText],
  database_busy: [words.oneMoment, words.crowded],
  database_unavailable: [words.oneMoment, words.backShortly],
  writes_paused: [words.notNow, words.notNowText],
  busy: [words.oneMoment, words.crowded],
  internal_error: [words.broken, words.brokenText],
});

const errorPage = (deps: Deps, { errorCode, message }: ApiError, words: Words) => {
  // Messages for programs are in English.
  const [title, text] = textsIn(words)[errorCode] ?? [words.failed, englishIn(words, message)];
  return barePage(deps, words, { title, main: intro(title, text) });
};

const englishIn = ({ language }: Words, message: string) =>
  language === 'en' ? message : html`<span lang="en">${message}</span>`;

const notFound = htmlPage({
  uses: ['posts'],
  async view(visit) {
    const { data } = await visit.read('v1.posts.list', { limit: 4, fields: [...listedFields] });
    const { words } = visit;
    const hasPosts = data.length > 0;
    return {
      title: words.notFound,
      path: '/404',
      kind: 'message',
      hidden: true,
      main: html`<div class="opening"><p class="eyebrow">404</p><h1>${words.notFoundTitle}</h1>
<p class="lead">${hasPosts ? words.notFoundSearch : words.notFoundText}</p>
${when(hasPosts, () => searchForm(words))}</div>
${when(
  hasPosts,
  () =>
    html`<section class="band"><h2>${words.recent}</h2><div class="rows">${each(data, (post) => postRow(visit, { ...post, excerpt: '' }))}</div></section>`,
)}`,
    };
  },
});
