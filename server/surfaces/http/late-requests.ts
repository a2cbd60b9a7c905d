import type { FastifyInstance } from 'fastify';
import type { Timeouts } from '../../../shared/timeouts.ts';
import type { Deps } from '../../kernel/deps.ts';
import { announcesBody } from './body.ts';
import { boundUnfinishedBodies } from './unfinished-bodies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is a file: whoever reads it sees to it that it comes in time. */
    takesFile?: boolean | undefined;
  }
}

/** Node's own bound, which knows no routes: no request takes longer, its turn included. */
export const longestRequestMs = ({ requestMs, upload, transfer }: Timeouts) =>
  requestMs + Math.max(upload.longestMs, transfer.longestMs);

/**
 * Ends a request whose body has not come in time, or takes too much room meanwhile, in the way in which Node ends those
 * whose head hasn't: as a broken one.
 */
export function endLateRequests(app: FastifyInstance, { timeouts }: Deps) {
  const unfinished = boundUnfinishedBodies();
  app.addHook('onRequest', (request, _reply, done) => {
    if (announcesBody(request) && !request.routeOptions.config.takesFile) {
      const { raw, client } = request;
      const { socket } = raw;
      const { bytesRead } = socket;
      const end = () => void (raw.complete || app.server.emit('clientError', late(), socket));
      const body = { client, bytes: () => socket.bytesRead - bytesRead, end };
      unfinished.add(body);
      const timer = setTimeout(end, timeouts.requestMs).unref();
      const forget = () => {
        clearTimeout(timer);
        unfinished.delete(body);
      };
      raw.once('end', forget).once('close', forget);
    }
    done();
  });
}

/**
 * Cuts off who takes nothing of an answer: what waits for him takes memory, and what his answer is made from. Whoever
 * waits for an answer himself isn't meant, nor are connections without a request, which Node gives a time of its own.
 */
export function endUntakenAnswers({ server }: FastifyInstance, { timeouts: { answerMs } }: Deps) {
  server.setTimeout(answerMs, (socket) => {
    if (socket.timeout !== answerMs || socket.writableLength > 0) socket.destroy();
  });
}

/** As Node calls it. */
const late = () =>
  Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
