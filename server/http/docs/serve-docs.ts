import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { lazily } from '../../../shared/runtime/single-flight.ts';
import type { Deps } from '../../api/deps.ts';
import type { Lists } from '../openapi/schemas.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';
import { fixed, jsonType, send, toContent } from '../send-representation.ts';

const scriptPath = '/docs/reference.js';

/** Serves `/docs`, the API reference. It uses this server only: no CDN, fonts, proxy or telemetry. */
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

/** Serves `/openapi.json`, and with `?lists=whole` the document for callers that do not use `fields`. */
export function serveOpenApi(app: FastifyInstance, documents: Readonly<Record<Lists, WrittenDocument>>) {
  const kept = (lists: Lists) => lazily(async () => toContent(jsonType, await documents[lists](), fixed));
  const [sparse, whole] = [kept('sparse'), kept('whole')];
  app.get<{ Querystring: { lists?: unknown } }>('/openapi.json', async (request, reply) =>
    send(await (request.query.lists === 'whole' ? whole() : sparse()), request, reply),
  );
}

/** Renders the reference in a thread, because loading the package blocks for 200 ms and keeps megabytes in memory. */
async function makeReference(publicOrigin: string) {
  const thread = new Worker(new URL('./render-reference.ts', import.meta.url), {
    workerData: scriptPath,
    // The thread needs no secrets.
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

/**
 * Creates the page's policy: scripts of this server and the page's own by hash. Inline styles are allowed, because the
 * reference sets them on elements.
 */
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
