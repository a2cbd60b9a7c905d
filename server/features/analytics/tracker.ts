import { dayOf } from '../../../shared/db/page-views.ts';
import type { StoreDeps, Tracker } from '../../kernel/deps.ts';
import { createSaltSource } from './salt.ts';
import { insertViews, insertViewWithin } from './store-views.ts';
import { barePath, isHuman, referrerHost, type View } from './view.ts';
import { visitorHash } from './visitor.ts';

/** Views of one statement at the most. */
const mostTogether = 1_000;

/** Stores page views; those that arrive while a statement runs are stored together by the next. */
export function createTracker(deps: StoreDeps): Tracker {
  const saltOf = createSaltSource(deps);
  const store = inBatches<View>((views) => insertViews(deps.database, views));
  return {
    async track({ deps: { database }, siteId, client, host, userAgent: agent = '' }, input) {
      if (!isHuman(agent)) return;
      const day = dayOf(deps.clock.now());
      const visitor = visitorHash(await saltOf(day), { siteId, client, agent });
      const view = {
        site_id: siteId,
        day,
        path: barePath(input.path),
        referrer: referrerHost(input, host),
        utm_source: input.utm_source ?? '',
        utm_medium: input.utm_medium ?? '',
        utm_campaign: input.utm_campaign ?? '',
        visitor,
      };
      // One that belongs to a transaction can't share a statement with those of others.
      await (database === deps.database ? store(view) : insertViewWithin(database, view));
    },
  };
}

/** Hands items to `work` together: those that come while it runs wait for its next call. Each caller learns how its own went. */
function inBatches<T>(work: (items: T[]) => Promise<void>): (item: T) => Promise<void> {
  const waiting: { item: T; done: PromiseWithResolvers<void> }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostTogether);
      await work(batch.map(({ item }) => item)).then(
        () => batch.forEach(({ done }) => void done.resolve()),
        (error) => batch.forEach(({ done }) => void done.reject(error)),
      );
    }
    running = false;
  };
  return (item) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ item, done });
    if (!running) void run();
    return done.promise;
  };
}
