import multipart from '@fastify/multipart';
import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance } from 'fastify';
import { type Rest, serveRest } from './serve-rest.ts';

/** Serves the procedures that take files. Their forms are read after the access checks, piece by piece. */
export async function serveUploads(app: FastifyInstance, router: AnyRouter, rest: Rest) {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  serveRest(app, router, rest);
}
