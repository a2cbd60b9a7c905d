import { dayOf } from '../../../shared/db/page-views.ts';
import type { StoreDeps, Tracker } from '../../kernel/deps.ts';
import { inBatches } from '../../kernel/in-batches.ts';
import { createSaltSource } from './salt.ts';
import { insertViews, insertViewWithin } from './store-views.ts';
import { barePath, isHuman, referrerHost, type View } from './view.ts';
import { visitorHash } from './visitor.ts';

/** Stores page views; those that arrive while a statement runs are stored together by the next. */
export function createTracker(deps: StoreDeps): Tracker {
  const saltOf = createSaltSource(deps);
  const store = inBatches(async (views: View[]) => {
    await insertViews(deps.database, views);
    return () => {};
  });
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
