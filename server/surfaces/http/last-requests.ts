import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is about to end: each answer is the last one of its connection. */
    isEnding: boolean;
  }
}

/** How long a server that ends goes on for what is on its way: clients of kept connections may have sent a request. */
const idleMs = 250;

/** How long it goes on at most, however many still come. */
const mostMs = 1_000;

/** A connection kept alive by a request that ran when the server was stopped would hold up its end. */
export function endConnectionsWhenEnding(app: FastifyInstance) {
  app.decorate('isEnding', false);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.isEnding || !app.server.listening) reply.header('Connection', 'close');
    done();
  });
}

/**
 * Answers the last requests of a server before it is closed. Node takes one waiting connection in each turn of its loop,
 * and those that still wait when it is closed would be reset, as would be kept ones whose next request is unread.
 */
export async function answerLastRequests(app: FastifyInstance) {
  app.isEnding = true;
  let taken = 0;
  let open = await connectionCount(app);
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  app.server.on('connection', () => {
    taken += 1;
  });
  let before: number;
  do {
    before = taken;
    if (open > 0 && elapsedMs() < idleMs) await delay(5);
    await turn();
    await turn();
    open = await connectionCount(app);
  } while (elapsedMs() < mostMs && (taken > before || (open > 0 && elapsedMs() < idleMs)));
}

const connectionCount = ({ server }: FastifyInstance) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)));
