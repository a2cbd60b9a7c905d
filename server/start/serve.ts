import { checkStoreIdentity } from '../../shared/media/identity.ts';
import type { Deps } from '../api/deps.ts';
import { answerLastRequests } from '../http/graceful-shutdown.ts';
import { type Address, listen } from '../http/listen.ts';
import { buildApp } from './app.ts';

/** Time after which running requests are cut off when the server stops, in milliseconds. */
const graceMs = 10_000;

/** Time for requests in transit on kept-alive connections after listening has stopped, in milliseconds. */
const idleMs = 250;

/**
 * Serves over an up-to-date database, once `prepared` resolves. Returns a function that stops serving: it accepts waiting
 * connections, stops listening, finishes running requests within 10 s, and closes the app. Throws an error with advice if the address is unavailable, and errors of `prepared`.
 */
export async function serve(
  deps: Deps,
  address: Address,
  { prepared, lastIdleMs = idleMs }: { prepared?: Promise<unknown>; lastIdleMs?: number } = {},
): Promise<() => Promise<void>> {
  const app = buildApp(deps);
  await Promise.all([app.ready(), prepared]);
  await listen(app, address);
  // Runs in the background, because a bucket that does not answer takes a minute. `deps.media` reports failures.
  checkStoreIdentity(deps).catch(() => {});
  // Runs after the start, which it would delay. If it fails, the first text starts a thread.
  deps.threadPool.warmUp().catch(() => {});
  return async () => {
    const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    await answerLastRequests(app, lastIdleMs);
    await app.close();
    clearTimeout(cutOff);
  };
}
