import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../kernel/deps.ts';
import { sendFixed, toKept } from '../http/send-kept.ts';
import { createOpenApiDocument } from '../openapi/document.ts';

/** `/openapi.json`: what `router` serves below `/api`, written down once at start. */
export function serveOpenApi(app: FastifyInstance, router: AnyRouter, { config }: Deps) {
  const document = createOpenApiDocument(router, config.publicUrl);
  const answer = toKept('application/json; charset=utf-8', JSON.stringify(document));
  app.get('/openapi.json', async (request, reply) => sendFixed(answer, request, reply));
}
