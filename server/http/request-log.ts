import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { OauthError } from '../../shared/contract/features/oauth.ts';
import { isKeySecret, keyPrefix } from '../api/access/credentials.ts';
import type { CallRecord } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Calls over RPC or by an assistant. */
    calls: CallRecord[];
    /** Error code of the request as a whole; a code of OAuth at its endpoints. */
    errorCode: ErrorCode | OauthError['code'] | undefined;
  }
}

interface ReportedRequest {
  id: string;
  method: string;
  /** Null for an unknown path; `path` then contains only words of known routes. */
  route: string | null;
  path?: string | undefined;
  calls: readonly CallRecord[];
  status: number;
  error?: FastifyRequest['errorCode'];
  ms: number;
  keyPrefix: string | undefined;
  /** True if a client followed events, whose duration does not measure the speed of this process. */
  followed: boolean;
}

/** Content type of answers that stay open. */
export const eventStreamType = 'text/event-stream';

const staysOpen = (reply: FastifyReply) => reply.getHeader('content-type') === eventStreamType;

export type Report = (answered: ReportedRequest) => void;

/**
 * Logs and counts each response. Callers that respond without `app` pass their responses to the returned function.
 * Fastify's own hook omits responses whose reader disconnects before their end, as nearly all readers of open streams
 * do.
 */
export function reportRequests(app: FastifyInstance, { logger, metrics }: Deps): Report {
  const log = createRequestLog(logger);
  const count = metrics && createMeters(metrics);
  const report = (answered: ReportedRequest) => {
    log(answered);
    count?.(answered);
  };
  const pathOf = createPathReader(app);
  const reportReply = (request: FastifyRequest, reply: FastifyReply) =>
    report({
      id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      path: request.is404 ? pathOf(request.url) : undefined,
      calls: request.calls,
      status: reply.statusCode,
      error: request.errorCode,
      ms: reply.elapsedTime,
      keyPrefix: keyPrefixOf(request),
      followed: staysOpen(reply),
    });
  app.decorateRequest('calls');
  app.decorateRequest('errorCode');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    request.calls = [];
    done();
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (staysOpen(reply))
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) reportReply(request, reply);
      });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    reportReply(request, reply);
    done();
  });
  return report;
}

/**
 * Creates a logger with one line per request. It never logs bodies, and only the route of a URL, because paths and
 * queries may contain secrets.
 */
function createRequestLog(logger: Deps['logger']): Report {
  // These lines contain nothing to redact, and redaction would be their largest cost.
  const log = logger.child({}, { redact: [] });
  return ({ id, method, route, path, calls, status, error, ms, keyPrefix }: ReportedRequest) =>
    log.info(
      {
        request_id: id,
        method,
        route,
        path,
        calls: calls.length > 0 ? calls.map(named) : undefined,
        status,
        error,
        ms: Math.round(ms * 10) / 10,
        key_prefix: keyPrefix,
      },
      'request',
    );
}

const named = ({ name, error }: CallRecord) => (error ? `${name} ${error}` : name);

/** Creates a logger whose lines contain the ID of a request. It is created only to log something: most requests need none. */
export const logOf = (request: FastifyRequest) => request.log.child({ request_id: request.id });

/**
 * Returns the beginning of the API key in a request's `Authorization`, as lists show it; undefined without a
 * well-formed key.
 */
export function keyPrefixOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const credential = headers.authorization?.split(' ').at(-1) ?? '';
  return isKeySecret(credential) ? keyPrefix(credential) : undefined;
}

/**
 * Creates a function that makes unknown paths safe to log. Words of registered routes stay; any other word becomes `*`,
 * because it may be a misplaced key or password.
 */
function createPathReader(app: FastifyInstance): (url: string) => string {
  const words = new Set(['']);
  app.addHook('onRoute', ({ url }) => {
    for (const word of url.split('/')) if (!/[:*]/.test(word)) words.add(word);
  });
  return (url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const shown = path.split('/', maxSegments).map((word) => (words.has(word) ? word : '*'));
    return shown.join('/');
  };
}

/** Maximum number of logged path segments. */
const maxSegments = 10;

/** Upper bounds of the histogram's buckets, in seconds. An answer from memory takes a fraction of a millisecond. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts answers by method, route and status, and measures their durations. All unknown paths count as one route. */
function createMeters(registry: Registry): Report {
  const labelNames = ['method', 'route', 'status'] as const;
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'HTTP responses by method, route and status',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response, in seconds',
    labelNames,
    registers,
    buckets,
  });
  const calls = new Counter({
    name: 'calls_total',
    help: 'RPC procedures and assistant tools called, by name and outcome',
    labelNames: ['name', 'outcome'],
    registers,
  });
  return ({ method, route, status, calls: made, ms, followed }) => {
    const labels = { method, route: route ?? 'unknown', status };
    requests.inc(labels);
    if (!followed) durations.observe(labels, ms / 1_000);
    for (const { name, error = 'ok' } of made) calls.inc({ name, outcome: error });
  };
}
