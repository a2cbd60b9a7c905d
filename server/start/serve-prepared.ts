import type { Logger } from '../../shared/process/logger.ts';
import { openMetrics } from '../../shared/process/metrics-server.ts';
import { createDeps, openInfrastructure } from '../compose.ts';
import type { Deps } from '../kernel/deps.ts';
import { serve } from '../serve.ts';
import type { ServerSettings } from '../settings.ts';
import { serveInSeveral } from './several.ts';

interface Serving<Prepared> {
  settings: ServerSettings;
  /** What several processes get besides this one's environment. */
  environment?: Record<string, string>;
  logger: Logger;
  /** Done once, in this process, before any request is answered. */
  prepare(deps: Deps): Promise<Prepared>;
}

/** Serves in this process, or in several. Gives what was prepared, and what ends the serving. */
export async function servePrepared<Prepared>(
  { settings, environment, logger, prepare }: Serving<Prepared>,
  resources: AsyncDisposableStack,
) {
  if (settings.WEB_CONCURRENCY === 1) {
    const metrics = await openMetrics(settings, resources);
    const deps = createDeps(await openInfrastructure(settings, { logger, metrics }, resources));
    const prepared = prepare(deps);
    const closeServer = await serve(deps, settings, { prepared });
    return { prepared: await prepared, closeServer };
  }
  await using meanwhile = new AsyncDisposableStack();
  const prepared = await prepare(createDeps(await openInfrastructure(settings, { logger }, meanwhile)));
  await meanwhile.disposeAsync();
  // The owner was made by `prepare`: no process is to make it again.
  const several = { ...environment, OWNER_EMAIL: '', OWNER_PASSWORD: '' };
  const closeServer = await serveInSeveral({ settings, environment: several, logger }, resources);
  return { prepared, closeServer };
}
