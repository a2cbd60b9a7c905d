import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import { hostName } from '../request-target.ts';

/** Placeholder in the built page for the nonce of each answer. */
const noncePlaceholder = '__CSP_NONCE__';

/**
 * Serves `/studio`: the studio as built into `config.studioDir`, which may appear and change while the server runs.
 * Every path below returns the one page, which shows the screen of the path. On the host of a site it redirects to
 * `config.studioUrl`, because passkeys, sessions and consents belong to one origin. Assets are served on every host,
 * for tabs that were opened earlier.
 */
export function serveStudio(app: FastifyInstance, deps: Deps) {
  const { studioDir } = deps.config;
  app.register(fastifyStatic, {
    root: studioDir,
    serve: false,
    suppressWarning: true,
    preCompressed: true,
    // File names contain a hash of the content.
    maxAge: '365d',
    immutable: true,
  });
  app.get<{ Params: { '*': string } }>('/studio/assets/*', (request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff');
    return reply.sendFile(`assets/${request.params['*']}`);
  });
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const address = await addressElsewhere(deps, request);
    if (address === null) return sendPage(studioDir, reply);
    return reply.header('Cache-Control', 'no-store').redirect(address, 302);
  };
  app.get('/studio', page);
  app.get('/studio/*', page);
}

/** Returns the address of the requested screen at `studioUrl`; null if the request is answered on its own host. */
async function addressElsewhere(deps: Deps, request: FastifyRequest): Promise<string | null> {
  const { studioUrl } = deps.config;
  const host = hostName(request.headers.host);
  if (studioUrl === null || host === studioUrl.hostname) return null;
  await count(deps.limiter, request.decisions, { tier: 'site', subject: request.client });
  // The studio must load without the database, to report that it is unavailable.
  const site = await deps.findVisitedSite(host).catch(() => null);
  return site?.named ? new URL(request.url, studioUrl).href : null;
}

async function sendPage(studioDir: string, reply: FastifyReply) {
  const nonce = randomBytes(16).toString('base64');
  reply
    .header('Content-Security-Policy', policyWith(nonce))
    .header('Referrer-Policy', 'same-origin')
    .header('X-Content-Type-Options', 'nosniff')
    .type('text/html; charset=utf-8');
  const built = await readFile(join(studioDir, 'index.html'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new ApiError('internal_error', undefined, { cause: error });
    },
  );
  if (built === null) return reply.header('Cache-Control', 'no-store').send(waitingPage(nonce));
  // The page contains no personal data. Caching makes it load immediately on slow connections. After an update its
  // assets have other names, and the page then reloads itself.
  reply.header('Cache-Control', 'private, max-age=3600');
  return reply.send(built.replaceAll(noncePlaceholder, nonce));
}

/** Creates a policy that allows only resources of this server; styles created at run time need the nonce. */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Creates the page that `/studio` shows until the studio is built; it reloads itself. */
const waitingPage = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="1">
<link rel="icon" href="data:,">
<title>Studio</title>
<style nonce="${nonce}">
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; font: 15px/1.6 system-ui, sans-serif; text-align: center; color: light-dark(#54555f, #b6b8c0); background: light-dark(#fafafb, #121317) }
h1 { margin: 0 0 .25em; font-size: 18px; font-weight: 600; color: light-dark(#1c1d22, #fff) }
p { margin: 0 }
code { font-size: 13px }
</style>
</head>
<body>
<main>
<h1>Your studio is being built</h1>
<p>This takes a few seconds, and only after an update. The page opens it by itself.</p>
<p>If it stays: <code>npx -y pnpm build:studio</code></p>
</main>
</body>
</html>
`;
