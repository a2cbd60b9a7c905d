import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../kernel/deps.ts';
import { type Kept, sendFixed, toKept } from '../http/send-kept.ts';
import { createOpenApiDocument } from '../openapi/document.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes the document down, which takes a moment in which nothing else is done. */
    writeOpenApi(): void;
  }
}

/** `/openapi.json`: what `router` serves below `/api`, written down once, when first asked for at the latest. */
export function serveOpenApi(app: FastifyInstance, router: AnyRouter, { config }: Deps) {
  let written: Kept | undefined;
  const write = () =>
    (written ??= toKept(
      'application/json; charset=utf-8',
      JSON.stringify(createOpenApiDocument(router, config.publicUrl)),
    ));
  app.decorate('writeOpenApi', () => void write());
  app.get('/openapi.json', async (request, reply) => sendFixed(write(), request, reply));
}
