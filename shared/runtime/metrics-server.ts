import { collectDefaultMetrics, Registry } from 'prom-client';
import { createServer } from './node-http.ts';

/** A process's metrics, those of Node.js itself among them. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * The metrics of a process that serves them itself, if the settings want any; they end with `resources`.
 *
 * @throws when the address can't be listened on
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
 * Serves metrics at `/metrics`, to everybody who can reach the address.
 *
 * @throws when the address can't be listened on
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
      // What is measured in the database can't be when that is away; scrapers take it for a gap.
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
