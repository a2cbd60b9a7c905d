import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { firstSegment } from '../../../shared/contract/site-paths.ts';
import { defaultTheme } from '../../../shared/contract/theme.ts';
import { type ApiError, toApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { logOf } from '../http/request-log.ts';
import { pageHeaders } from './policy.ts';
import { stylesheetFor } from './style/stylesheet.ts';
import { notFound } from './views/not-found.ts';
import { beginVisit } from './visit.ts';

/** Surfaces of programs, which get JSON whatever they say that they accept. */
const forPrograms = ['api', 'trpc', 'mcp'];

/** Whether a failure is shown to a person: a browser names `text/html`, programs don't. */
export const isForPeople = ({ headers, url }: FastifyRequest) =>
  /\btext\/html\b/i.test(headers.accept ?? '') &&
  !forPrograms.includes(firstSegment(url.split('?', 1)[0] ?? ''));

/** Answers a failure with a page. */
export async function sendErrorPage(
  deps: Deps,
  error: ApiError,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const inFrame = error.errorCode === 'not_found' ? await notFoundPage(deps, request) : null;
  return reply
    .code(error.status)
    .headers(pageHeaders)
    .header('Cache-Control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(inFrame ?? String(await barePage(deps, error)));
}

/** Null where there is no site to have a page in, or it can't be read now. */
async function notFoundPage(deps: Deps, request: FastifyRequest): Promise<string | null> {
  try {
    const { body } = await notFound.render(await beginVisit(deps, request, notFound));
    return body;
  } catch (error) {
    const { status } = toApiError(error, false);
    if (status >= 500)
      logOf(request).error({ err: error }, 'the page for what is not found could not be made');
    return null;
  }
}

const texts: Partial<Record<ApiError['errorCode'], [title: string, text: string]>> = {
  not_found: ['Nothing here', 'There is nothing at this address.'],
  rate_limited: ['One moment, please', 'That was a little fast. Wait a few seconds, then try again.'],
  payload_too_large: ['Too long', 'What you sent is longer than this site takes.'],
  database_busy: ['One moment, please', 'Many people are here right now. Please try again in a few seconds.'],
  database_unavailable: [
    'One moment, please',
    'This site will be back shortly. Please try again in a moment.',
  ],
  writes_paused: ['Not now', 'This site can’t store anything at the moment. Please try again later.'],
  busy: ['One moment, please', 'Many people are here right now. Please try again in a few seconds.'],
  internal_error: ['Something broke', 'It is our fault, and it has been noted. Please try again in a while.'],
};

const barePage = ({ responses }: Deps, { errorCode, message }: ApiError) => {
  const [title, text] = texts[errorCode] ?? ['That did not work', message];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${stylesheetFor(defaultTheme, responses).path}">
</head>
<body class="page-message">
<main><div class="opening"><h1>${title}</h1><p class="lead">${text}</p></div></main>
</body>
</html>
`;
};
