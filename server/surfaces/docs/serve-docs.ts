import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { lazily } from '../../../shared/lazily.ts';
import type { Deps } from '../../kernel/deps.ts';
import { fixed, jsonType, type Representation, send, toContent } from '../http/answer.ts';
import type { Lists } from '../openapi/lists.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';

interface Reference {
  page: Representation;
  script: Representation;
  /** Content-Security-Policy of the page. */
  policy: string;
}

/** Or else browsers ask for one. */
const noIcon = '<link rel="icon" href="data:," />';

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

/**
 * Scalar's plugin holds megabytes of script, so it is loaded when somebody first reads the documentation. The package gives
 * page and script to nobody but a Fastify, and the package that has the script as a file comes with Vue and thirty others;
 * so a Fastify that listens nowhere is asked for both, once.
 */
async function makeReference(publicOrigin: string): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const renderer = Fastify();
  renderer.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'API reference · Creator Content Service',
      cdn: scriptPath,
      authentication: { preferredSecurityScheme: 'apiKey' },
      telemetry: false,
      withDefaultFonts: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      documentDownloadType: 'direct',
      orderSchemaPropertiesBy: 'preserve',
      orderRequiredPropertiesFirst: true,
      // The document has samples of its own, which tests run.
      hiddenClients: true,
    },
  });
  const html = (await renderer.inject('/docs/')).body.replace('<head>', `<head>\n    ${noIcon}`);
  const script = await renderer.inject('/docs/js/scalar.js');
  await renderer.close();
  return {
    page: toContent('text/html; charset=utf-8', html, fixed),
    script: toContent('text/javascript; charset=utf-8', script.rawPayload, fixed),
    policy: policyFor(html, publicOrigin),
  };
}

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
