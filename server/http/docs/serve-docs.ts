import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { lazily } from '../../../shared/runtime/single-flight.ts';
import type { Deps } from '../../api/deps.ts';
import { fixed, jsonType, send, toContent } from '../answer.ts';
import type { Lists } from '../openapi/schemas.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';

const scriptPath = '/docs/reference.js';

/** `/docs`: the API reference. It needs this server and nothing else: no CDN, fonts, proxy or telemetry. */
export function serveDocs(app: FastifyInstance, { config }: Deps) {
  const reference = lazily(() => makeReference(config.publicUrl.origin));
  app.get('/docs', async (request, reply) => {
    const { page, policy } = await reference();
    reply.header('Content-Security-Policy', policy).header('Referrer-Policy', 'no-referrer');
    return send(page, request, reply);
  });
  app.get(scriptPath, async (request, reply) => send((await reference()).script, request, reply));
  app.get('/docs/', async (_request, reply) => reply.redirect('/docs', 308));
}

/** `/openapi.json`, and with `?lists=whole` that for callers who don't choose `fields`. */
export function serveOpenApi(app: FastifyInstance, documents: Readonly<Record<Lists, WrittenDocument>>) {
  const kept = (lists: Lists) => lazily(async () => toContent(jsonType, await documents[lists](), fixed));
  const [sparse, whole] = [kept('sparse'), kept('whole')];
  app.get<{ Querystring: { lists?: unknown } }>('/openapi.json', async (request, reply) =>
    send(await (request.query.lists === 'whole' ? whole() : sparse()), request, reply),
  );
}

/** What `render-reference.ts` makes, in a thread: to load the package holds it up for a fifth of a second, and it holds megabytes. */
async function makeReference(publicOrigin: string) {
  const thread = new Worker(new URL('./render-reference.ts', import.meta.url), {
    workerData: scriptPath,
    // Nothing that it does needs to know a secret.
    env: {},
  });
  const rendered = await new Promise((resolve, reject) => {
    thread.on('message', resolve);
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error('the worker thread that renders the API reference has ended')));
  });
  const { html, script } = Rendered.parse(rendered);
  return {
    page: toContent('text/html; charset=utf-8', html, fixed),
    script: toContent('text/javascript; charset=utf-8', script, fixed),
    policy: policyFor(html, publicOrigin),
  };
}

const Rendered = z.object({ html: z.string(), script: z.string() });

/** Scripts of this server and the page's own; styles may be inline, since the reference styles its elements. */
function policyFor(page: string, publicOrigin: string): string {
  const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${publicOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
