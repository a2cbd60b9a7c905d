import type { FastifyInstance } from 'fastify';
import { lazily } from '../../../shared/lazily.ts';
import { sendFixed, toKept } from '../http/send-kept.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';

/** `/openapi.json`. */
export function serveOpenApi(app: FastifyInstance, document: WrittenDocument) {
  const kept = lazily(async () => toKept('application/json; charset=utf-8', await document()));
  app.get('/openapi.json', async (request, reply) => sendFixed(await kept(), request, reply));
}
