import type { FastifyInstance } from 'fastify';
import { type Kept, sendFixed, toKept } from '../http/send-kept.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';

/** `/openapi.json`. */
export function serveOpenApi(app: FastifyInstance, document: WrittenDocument) {
  let kept: Kept | undefined;
  app.get('/openapi.json', async (request, reply) => {
    kept ??= toKept('application/json; charset=utf-8', await document());
    return sendFixed(kept, request, reply);
  });
}
