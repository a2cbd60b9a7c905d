import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { waitingPage } from './waiting-page.ts';

/** Stands in the built page for the nonce of each answer. */
const noncePlaceholder = '__CSP_NONCE__';

/**
 * `/studio`: the owner's panel as it was built into `config.studioDir`, which may come into being, and change, while
 * the server runs. Every path below answers with the one page, which shows the screen that the path names.
 */
export function serveStudio(app: FastifyInstance, { config: { studioDir } }: Deps) {
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
  const page = (_request: unknown, reply: FastifyReply) => sendPage(studioDir, reply);
  app.get('/studio', page);
  app.get('/studio/*', page);
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
