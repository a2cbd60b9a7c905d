import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { firstSegment, reservedSegments } from '../../shared/contract/site-paths.ts';
import { measurePool, measureQueue } from '../../shared/runtime/database-metrics.ts';
import { maxHeaderSize } from '../../shared/runtime/node-http.ts';
import type { ApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { appRouter, restRouter, uploadsRouter } from '../api/router/app-router.ts';
import { readRefusedBodies } from '../http/body.ts';
import { createClientReader } from '../http/client-address.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { serveDocs, serveOpenApi } from '../http/docs/serve-docs.ts';
import { answerErrors } from '../http/error-reply.ts';
import { answerFromMemory, createCachedAddresses } from '../http/fast-path.ts';
import { endConnectionsWhenEnding } from '../http/graceful-shutdown.ts';
import { createReadiness, type Readiness, serveHealth } from '../http/health.ts';
import { serveStripeHook } from '../http/hooks/serve-stripe-hook.ts';
import { limitByAddress } from '../http/limit-by-address.ts';
import { answerBrokenRequests, trackLatestAnswers } from '../http/malformed-requests.ts';
import { serveMcp } from '../http/mcp/serve-mcp.ts';
import { serveMedia } from '../http/media/serve-media.ts';
import { serveOauth } from '../http/oauth/serve-oauth.ts';
import { createWrittenDocument } from '../http/openapi/written-document.ts';
import { reportRequests } from '../http/request-log.ts';
import { readTarget, requireWellFormed } from '../http/request-target.ts';
import { endLateRequests, endUntakenAnswers, maxRequestMs } from '../http/request-timeouts.ts';
import { serveRest, serveUploads } from '../http/rest/serve-rest.ts';
import { serveRpc } from '../http/rpc/serve-rpc.ts';
import type { Http } from '../http/send-representation.ts';
import { serveStudio } from '../http/studio/serve-studio.ts';
import { serveTransfers } from '../http/studio/serve-transfers.ts';
import { readBrowsers } from '../http/trusted-browser.ts';
import { isForPeople, sendErrorPage, sendRedirect, serveSite } from '../site/index.ts';

/**
 * Maximum length of a path parameter, as long as a request line may be. A longer name reaches its route, which answers
 * that it is unknown.
 */
const maxParameterLength = maxHeaderSize;

/**
 * Bytes of a body that Node reads before anything requests it: a single chunk, of up to 64 KB. Many requests with
 * bodies may wait at the same time.
 */
const readAheadBytes = 16_384;

/** Disables Fastify's schemas: procedures validate by their contracts, and Fastify's compilers take long to load. */
const withoutSchemas = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error('Fastify schemas are not used: declare a procedure with contracts instead');
}

export function buildApp(deps: Deps) {
  const app = Fastify({
    loggerInstance: deps.logger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    bodyLimit: deps.config.bodyLimitBytes,
    routerOptions: { maxParamLength: maxParameterLength },
    requestTimeout: maxRequestMs(deps.timeouts),
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
  answerFromMemory(app, deps, addresses, client, report);
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
  app.register(async (hooks) => serveStripeHook(hooks, deps));
  serveSite(app, deps, addresses, client);
  app.register(async (rest) => {
    // The procedure reads the body after the access checks, whatever its declared type.
    rest.removeAllContentTypeParsers();
    rest.addContentTypeParser('*', (_request, _payload, done) => done(null));
    serveRest(rest, appRouter, { deps, addresses });
    serveMcp(rest, appRouter, document, deps);
  });
  app.register(async (uploads) => serveUploads(uploads, uploadsRouter, { deps, addresses }));
  return app;
}

/** Throws at startup if a route uses a path that a custom page could have. Must run before all routes are added. */
function requireReservedPaths(app: FastifyInstance) {
  app.addHook('onRoute', ({ url }) => {
    const first = firstSegment(url);
    if (first === '' || first.startsWith(':') || first.startsWith('*') || reservedSegments.has(first)) return;
    throw new Error(
      `${url}: add ${first} to the reserved paths in shared/contract/site-paths.ts, because a custom page could use this path`,
    );
  });
}

function measure(registry: Registry, isReady: Readiness, { database, clock, followerSlots, degraded }: Deps) {
  measurePool(registry, database);
  measureQueue(registry, database, () => clock.sinceStart());
  new Gauge({
    name: 'degraded',
    help: '1 while a part of the service is unavailable but reads work: writes, media, standby',
    labelNames: ['what'],
    // Takes the maximum of the values of all server processes.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      // The standbys are checked only when `isReady` is called.
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
      this.set(followerSlots.taken());
    },
  });
}
