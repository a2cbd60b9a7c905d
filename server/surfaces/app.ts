import { randomUUID } from 'node:crypto';
import Fastify, { LogController } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { maxHeaderSize } from '../../shared/process/node-http.ts';
import { measurePool } from '../../shared/process/pool-metrics.ts';
import { measureQueue } from '../../shared/process/queue-metrics.ts';
import type { Deps } from '../kernel/deps.ts';
import { appRouter } from '../router/app-router.ts';
import { restRouter } from '../router/rest-router.ts';
import { uploadsRouter } from '../router/uploads.ts';
import { serveDocs } from './docs/serve-docs.ts';
import { serveOpenApi } from './docs/serve-document.ts';
import { answerKnown } from './http/answer-known.ts';
import { noteAnswers } from './http/answered.ts';
import { readRefusedBodies } from './http/body.ts';
import { createClientReader } from './http/client-address.ts';
import { allowAnyOrigin } from './http/cors.ts';
import { createMeters } from './http/count-requests.ts';
import { answerErrors } from './http/error-reply.ts';
import { serveHealth } from './http/health.ts';
import { createKnownAddresses } from './http/known-addresses.ts';
import { knowBrowsers } from './http/known-browser.ts';
import {
  answerBrokenRequests,
  endConnectionsWhenEnding,
  endLateRequests,
  endUntakenAnswers,
  longestRequestMs,
} from './http/last-requests.ts';
import { limitByAddress } from './http/limit-by-address.ts';
import { requireReservedPaths } from './http/reserved-paths.ts';
import { readTarget, requireWellFormed } from './http/well-formed.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { serveMedia } from './media/serve-media.ts';
import { createWrittenDocument } from './openapi/written-document.ts';
import { serveRest } from './rest/serve-rest.ts';
import { serveUploads } from './rest/serve-uploads.ts';
import { serveRpc } from './rpc/serve-rpc.ts';
import { isForPeople, sendErrorPage } from './site/error-page.ts';
import { sendRedirect } from './site/redirect.ts';
import { domainPath } from './site/serve-domain.ts';
import { serveSite } from './site/serve-site.ts';
import { serveMoves } from './studio/serve-moves.ts';
import { serveStudio } from './studio/serve-studio.ts';

/** No path parameter is longer: Node takes no more of a request line. A longer name is answered by its route, as unknown. */
const longestParameter = maxHeaderSize;

/**
 * What is read of a body before anybody asks for it: a single chunk of Node's, which has up to 64 KB, and no second one.
 * Many requests with bodies wait at once, for their turn or to be refused.
 */
const readAheadBytes = 16_384;

/** The whole HTTP server over its dependencies. */
export function buildApp(deps: Deps) {
  const app = Fastify({
    loggerInstance: deps.logger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    bodyLimit: deps.config.bodyLimitBytes,
    routerOptions: { maxParamLength: longestParameter },
    requestTimeout: longestRequestMs(deps.patience),
    http: { requireHostHeader: false, highWaterMark: readAheadBytes },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: (request) => readTarget(request.url ?? '').url,
    clientErrorHandler: (error, socket) => answerBroken(error, socket),
  });
  const answerBroken = answerBrokenRequests(app, randomUUID);
  requireReservedPaths(app);
  const client = createClientReader(deps.config.trustProxy);
  const note = noteAnswers(app, deps, deps.metrics && createMeters(deps.metrics));
  if (deps.metrics) measure(deps.metrics, deps);
  endConnectionsWhenEnding(app);
  readRefusedBodies(app);
  allowAnyOrigin(app);
  knowBrowsers(app, deps);
  limitByAddress(app, deps, client);
  endLateRequests(app, deps);
  endUntakenAnswers(app, deps);
  requireWellFormed(app, deps, { client, asked: ['/healthz', '/readyz', domainPath] });
  answerErrors(app, {
    isForPeople,
    send: (error, http) => sendErrorPage(deps, error, http),
    sendElsewhere: (http) => sendRedirect(deps, http),
  });
  const addresses = createKnownAddresses();
  answerKnown(app, { deps, addresses, client, note });
  serveHealth(app, deps);
  serveRpc(app, appRouter, deps);
  const document = createWrittenDocument(restRouter, deps.config.publicUrl);
  serveOpenApi(app, document);
  serveDocs(app, deps);
  serveStudio(app, deps);
  app.register(async (files) => serveMedia(files, deps));
  app.register(async (moves) => serveMoves(moves, deps));
  serveSite(app, { deps, addresses, client });
  app.register(async (rest) => {
    // A body is read by its procedure, after the access checks, whatever type it claims.
    rest.removeAllContentTypeParsers();
    rest.addContentTypeParser('*', (_request, _payload, done) => done(null));
    serveRest(rest, appRouter, { deps, addresses });
    serveMcp(rest, { router: appRouter, document }, deps);
  });
  app.register(async (uploads) => serveUploads(uploads, uploadsRouter, { deps, addresses }));
  return app;
}

function measure(registry: Registry, { database, clock, followerPlaces, degraded }: Deps) {
  measurePool(registry, database);
  measureQueue(registry, database, () => clock.sinceStart());
  new Gauge({
    name: 'degraded',
    help: '1 for what does not work at the moment though reads do: writes, media',
    labelNames: ['what'],
    registers: [registry],
    collect() {
      this.set({ what: 'writes' }, Number(database.lastRefusal() !== null));
      this.set({ what: 'media' }, Number(degraded.has('media')));
    },
  });
  new Gauge({
    name: 'event_followers',
    help: 'Followers of events whom this process serves',
    registers: [registry],
    collect() {
      this.set(followerPlaces.taken());
    },
  });
}
