import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { defaultTheme } from '../../shared/contract/features/theme.ts';
import { compressedBodySize } from '../../shared/runtime/compressed-body.ts';
import { ApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { cachedValues, type ResponseCache, unchanging } from '../api/response-cache.ts';
import { textsOf } from '../http/body.ts';
import { hostName } from '../http/request-target.ts';
import { type Representation, send, toContent } from '../http/send-representation.ts';
import { fontPaths } from './style/fonts.ts';
import { stylesheetFor } from './style/stylesheet.ts';

const cachedSheets = cachedValues<Representation>('sheet');

const forGood = 'public, max-age=31536000, immutable';

/** Serves stylesheets and fonts, at paths that contain a hash or version of their content. */
export function serveAssets(app: FastifyInstance, deps: Deps) {
  const config = { tier: 'site' } as const;
  app.get('/assets/:name', { config }, async (request, reply) => {
    const site = await deps.findVisitedSite(hostName(request.headers.host));
    // Error pages of unknown hosts use the default theme.
    const stylesheet = stylesheetFor(site?.theme ?? defaultTheme, deps.responses);
    const kept =
      cachedSheets.get(deps.responses, unchanging(stylesheet.path)) ?? keepSheet(deps.responses, stylesheet);
    const { name } = textsOf(request.params);
    if (!name?.endsWith('.css')) throw new ApiError('not_found');
    // A page that was open when the theme changed requests the previous stylesheet. It gets the current one, without
    // caching.
    const isCurrent = stylesheet.path === `/assets/${name}`;
    reply.header('Cache-Control', isCurrent ? forGood : 'no-cache');
    reply.header('Vary', 'Accept-Encoding').header('X-Content-Type-Options', 'nosniff');
    return send(kept, request, reply);
  });
  app.get('/assets/fonts/:version/:file', { config }, async (request, reply) => {
    const file = fontPaths.get(request.url.split('?', 1)[0] ?? '');
    if (!file) throw new ApiError('not_found');
    reply.header('Cache-Control', forGood).header('X-Content-Type-Options', 'nosniff');
    return reply.type('font/woff2').send(await readFile(file));
  });
}

function keepSheet(responses: ResponseCache, { path, css }: { path: string; css: string }): Representation {
  const kept = toContent('text/css; charset=utf-8', css);
  cachedSheets.keep(responses, unchanging(path), { thing: kept, bytes: compressedBodySize(kept.bytes) });
  return kept;
}
