import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { firstSegment, reservedSegments } from '../../shared/contract/site-paths.ts';
import { measurePool, measureQueue } from '../../shared/runtime/database-metrics.ts';
import { maxHeaderSize } from '../../shared/runtime/node-http.ts';
import type { ApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { appRouter, restRouter, uploadsRouter } from '../api/router/app-router.ts';
import type { Http } from '../http/answer.ts';
import { readRefusedBodies } from '../http/body.ts';
import { answerBrokenRequests, trackLatestAnswers } from '../http/broken-requests.ts';
import { readBrowsers } from '../http/browser.ts';
import { createClientReader } from '../http/client-address.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { serveDocs, serveOpenApi } from '../http/docs/serve-docs.ts';
import { answerErrors } from '../http/error-reply.ts';
import { answerFromMemory, createCachedAddresses } from '../http/front.ts';
import { endConnectionsWhenEnding } from '../http/graceful-end.ts';
import { createReadiness, type Readiness, serveHealth } from '../http/health.ts';
import { endLateRequests, endUntakenAnswers, longestRequestMs } from '../http/late-requests.ts';
import { limitByAddress } from '../http/limit-by-address.ts';
import { serveMcp } from '../http/mcp/serve-mcp.ts';
import { serveMedia } from '../http/media/serve-media.ts';
import { serveOauth } from '../http/oauth/serve-oauth.ts';
import { createWrittenDocument } from '../http/openapi/written-document.ts';
import { reportRequests } from '../http/request-log.ts';
import { serveRest, serveUploads } from '../http/rest/serve-rest.ts';
import { serveRpc } from '../http/rpc/serve-rpc.ts';
import { serveStudio } from '../http/studio/serve-studio.ts';
import { serveTransfers } from '../http/studio/serve-transfers.ts';
import { readTarget, requireWellFormed } from '../http/well-formed.ts';
import { isForPeople, sendErrorPage, sendRedirect, serveSite } from '../site/index.ts';

/** No path parameter is longer: Node takes no more of a request line. A longer name is answered by its route, as unknown. */
const longestParameter = maxHeaderSize;

/**
 * What is read of a body before anybody asks for it: a single chunk of Node's, which has up to 64 KB, and no second one.
 * Many requests with bodies wait at once, for their turn or to be refused.
 */
const readAheadBytes = 16_384;

/** Procedures compare what comes and goes with their contracts; Fastify's own way takes long to load. */
const withoutSchemas = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error('Fastify schemas are not used: declare a procedure with contracts instead');
}

/** The whole HTTP server over its dependencies. */
export function buildApp(deps: Deps) {
  const app = Fastify({
    loggerInstance: deps.logger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    bodyLimit: deps.config.bodyLimitBytes,
    routerOptions: { maxParamLength: longestParameter },
    requestTimeout: longestRequestMs(deps.timeouts),
    http: { requireHostHeader: false, highWaterMark: readAheadBytes },
    schemaController: { compilersFactory: withoutSchemas },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: (request) => readTarget(request.url ?? '').url,
    clientErrorHandler: (error, socket) => answerBroken(error, socket),
  });
  const latest = trackLatestAnswers(app);
  const answerBroken = answerBrokenRequests(app, latest, randomUUID);
  requireReservedPaths(app);
  const client = createClientReader(deps.config.trustProxy);
  const report = reportRequests(app, deps);
  const isReady = createReadiness(deps);
  if (deps.metrics) measure(deps.metrics, isReady, deps);
  endConnectionsWhenEnding(app, latest);
  readRefusedBodies(app);
  allowAnyOrigin(app);
  readBrowsers(app, deps);
  limitByAddress(app, deps, client);
  endLateRequests(app, deps);
  endUntakenAnswers(app, deps);
  requireWellFormed(app, deps, client);
  const errorPage = (error: ApiError, http: Http) => sendErrorPage(deps, error, http);
  answerErrors(app, isForPeople, errorPage, (http) => sendRedirect(deps, http));
  const addresses = createCachedAddresses();
  answerFromMemory(app, { deps, addresses, client, report });
  serveHealth(app, isReady);
  serveRpc(app, appRouter, deps);
  const document = createWrittenDocument(restRouter, deps.config.publicUrl);
  const whole = createWrittenDocument(restRouter, deps.config.publicUrl, 'whole');
  serveOpenApi(app, { sparse: document, whole });
  serveDocs(app, deps);
  serveStudio(app, deps);
  app.register(async (files) => serveMedia(files, deps));
  app.register(async (moves) => serveTransfers(moves, deps));
  app.register(async (oauth) => serveOauth(oauth, deps, errorPage));
  serveSite(app, deps, addresses, client);
  app.register(async (rest) => {
    // A body is read by its procedure, after the access checks, whatever type it claims.
    rest.removeAllContentTypeParsers();
    rest.addContentTypeParser('*', (_request, _payload, done) => done(null));
    serveRest(rest, appRouter, { deps, addresses });
    serveMcp(rest, appRouter, document, deps);
  });
  app.register(async (uploads) => serveUploads(uploads, uploadsRouter, { deps, addresses }));
  return app;
}

/** Fails at the start when a route is added whose place a custom page could take. Belongs before all routes. */
function requireReservedPaths(app: FastifyInstance) {
  app.addHook('onRoute', ({ url }) => {
    const first = firstSegment(url);
    if (first === '' || first.startsWith(':') || first.startsWith('*') || reservedSegments.has(first)) return;
    throw new Error(
      `${url}: add ${first} to the reserved paths in shared/contract/site-paths.ts, because a custom page could use this path`,
    );
  });
}

function measure(
  registry: Registry,
  isReady: Readiness,
  { database, clock, followerPositions, degraded }: Deps,
) {
  measurePool(registry, database);
  measureQueue(registry, database, () => clock.sinceStart());
  new Gauge({
    name: 'degraded',
    help: '1 while a part of the service is unavailable but reads work: writes, media, standby',
    labelNames: ['what'],
    // Of several processes.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      // Which standbys there are is known only once somebody asks.
      await isReady();
      this.set({ what: 'writes' }, Number(database.lastRefusal() !== null));
      this.set({ what: 'media' }, Number(degraded.has('media')));
      this.set({ what: 'standby' }, Number(degraded.has('standby')));
    },
  });
  new Gauge({
    name: 'event_followers',
    help: 'Live event followers connected to this process',
    registers: [registry],
    collect() {
      this.set(followerPositions.taken());
    },
  });
}
