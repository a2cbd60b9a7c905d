import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../kernel/deps.ts';
import type { Patience } from '../../kernel/patience.ts';
import { announcesBody } from './body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is a file: whoever reads it sees to it that it comes in time. */
    takesFile?: boolean | undefined;
  }
}

/** Node's own bound, which knows no routes: no request takes longer, its turn included. */
export const longestRequestMs = ({ requestMs, upload, move }: Patience) =>
  requestMs + Math.max(upload.longestMs, move.longestMs);

/** Ends a request whose body has not come in time, in the way in which Node ends those whose head hasn't. */
export function endLateRequests(app: FastifyInstance, { patience }: Deps) {
  app.addHook('onRequest', (request, _reply, done) => {
    if (announcesBody(request) && !request.routeOptions.config.takesFile) {
      const { raw } = request;
      const end = () => !raw.complete && app.server.emit('clientError', late(), raw.socket);
      const timer = setTimeout(end, patience.requestMs).unref();
      raw.once('end', () => clearTimeout(timer));
    }
    done();
  });
}

/** As Node calls it. */
const late = () =>
  Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
