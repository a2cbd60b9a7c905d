import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import { hostName } from '../well-formed.ts';

/** Stands in the built page for the nonce of each answer. */
const noncePlaceholder = '__CSP_NONCE__';

/**
 * `/studio`: the owner's panel as it was built into `config.studioDir`, which may come into being, and change, while
 * the server runs. Every path below answers with the one page, which shows the screen that the path names. At the
 * host of a site it redirects to `config.studioUrl`: passkeys, sessions and the consent to assistants belong to one
 * origin. Assets answer at every host, for tabs that were opened there before.
 */
export function serveStudio(app: FastifyInstance, deps: Deps) {
  const { studioDir } = deps.config;
  app.register(fastifyStatic, {
    root: studioDir,
    serve: false,
    suppressWarning: true,
    preCompressed: true,
    // A name holds a hash of what it names.
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

/** Address of the requested screen at `studioUrl`; null where the request is to be answered at its own host. */
async function addressElsewhere(deps: Deps, request: FastifyRequest): Promise<string | null> {
  const { studioUrl } = deps.config;
  const host = hostName(request.headers.host);
  if (studioUrl === null || host === studioUrl.hostname) return null;
  await count(deps.limiter, request.decisions, { tier: 'site', subject: request.client });
  // Without its database the service still has a page that reports this.
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
  // It tells nothing of anybody. Kept for so long, it is there at once on ways that are slow; after an update, whose code has
  // other names, it asks for the next one by itself.
  reply.header('Cache-Control', 'private, max-age=3600');
  return reply.send(built.replaceAll(noncePlaceholder, nonce));
}

/** Nothing but what this server gives: a style made at run time needs the answer's nonce. */
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

/** What `/studio` shows until the panel has been built: it asks again by itself. */
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
