import { checkMarked } from '../../shared/media/identity.ts';
import type { Deps } from '../api/deps.ts';
import { answerLastRequests } from '../http/graceful-end.ts';
import { type Address, listen } from '../http/listen.ts';
import { buildApp } from './app.ts';

/** Requests that run when the server is stopped are cut off after this time. */
const graceMs = 10_000;

/** How long kept connections stay open for a request that is on its way, once no new ones are taken. */
const idleMs = 250;

/**
 * Serves over a database that is up to date, once it is `prepared`. The answer stops it: requests under way are finished first.
 *
 * @throws with what to do when the address can't be listened on; what `prepared` throws
 */
export async function serve(
  deps: Deps,
  address: Address,
  { prepared, lastIdleMs = idleMs }: { prepared?: Promise<unknown>; lastIdleMs?: number } = {},
): Promise<() => Promise<void>> {
  const app = buildApp(deps);
  await Promise.all([app.ready(), prepared]);
  await listen(app, address);
  // Beside it: a bucket that says nothing is waited for for a minute. That it is away `deps.media` tells.
  checkMarked(deps).catch(() => {});
  // After the start, which it would delay. If it fails, the first text begins a thread.
  deps.offload.warmUp().catch(() => {});
  return async () => {
    const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
    await answerLastRequests(app, lastIdleMs);
    await app.close();
    clearTimeout(cutOff);
  };
}
