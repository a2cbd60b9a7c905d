import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { count } from '../../limits/count.ts';
import { hostName } from '../http/well-formed.ts';
import { waitingPage } from './waiting-page.ts';

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
