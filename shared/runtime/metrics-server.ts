import { collectDefaultMetrics, Registry } from 'prom-client';
import { createServer } from './node-http.ts';

/** Creates the metrics registry of a process, with the metrics of Node.js. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Serves the metrics of a process if the settings contain a port, and returns their registry. Returns undefined otherwise.
 * The server closes with `resources`. Throws an `Error` if the address cannot be listened on.
 */
export async function openMetrics(
  { METRICS_PORT: port, METRICS_HOST: host }: { METRICS_PORT?: number | undefined; METRICS_HOST: string },
  resources: AsyncDisposableStack,
): Promise<Registry | undefined> {
  if (!port) return undefined;
  const metrics = createMetrics();
  resources.use(await serveMetrics(metrics, { host, port }));
  return metrics;
}

/**
 * Serves metrics at `/metrics`, without authentication, to every client that can reach the address. Throws an `Error` if
 * the address cannot be listened on.
 */
export async function serveMetrics(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  { host, port }: { host: string; port: number },
): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    try {
      const text = await registry.metrics();
      response.setHeader('content-type', registry.contentType).end(text);
    } catch {
      // Metrics of the database cannot be measured while it is unavailable. Scrapers record a gap.
      response.writeHead(503).end();
    }
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, host, resolve);
  await promise.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause;
    throw new Error(
      `Metrics address ${host}:${port} is already in use by another program. The server uses METRICS_PORT and the worker the next port: give a second server or worker on this machine a METRICS_PORT at least 2 higher, or none.`,
      { cause },
    );
  });
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
