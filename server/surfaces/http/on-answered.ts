import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What answers are that stay open. */
export const eventStreamType = 'text/event-stream';

export const staysOpen = (reply: FastifyReply) => reply.getHeader('content-type') === eventStreamType;

/**
 * Runs `note` after each answer. Fastify's own hook leaves out those whose reader goes away before their end, which is
 * how nearly all end that stay open.
 */
export function onAnswered(
  app: FastifyInstance,
  note: (request: FastifyRequest, reply: FastifyReply) => void,
) {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (staysOpen(reply))
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) note(request, reply);
      });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    note(request, reply);
    done();
  });
}
