import { createHash } from 'node:crypto';
import { isbot } from 'isbot';
import { sql } from 'kysely';
import { Counter, type Registry } from 'prom-client';
import type { TrackView } from '../../../shared/contract/features/analytics.ts';
import { dayOf } from '../../../shared/db/page-views.ts';
import { createBatchQueue, TooManyWaitingError } from '../../../shared/runtime/batch-loader.ts';
import { databaseBusy } from '../../api/api-error.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { insertViews, insertViewWithin, type PageView } from './store-views.ts';

/**
 * Page views.
 *
 * A view moves through these steps.
 *
 * - Tracked: views by bots are dropped. The others get a visitor hash with the salt of the day.
 * - Waiting: views that arrive while a statement runs are stored together by the next one. If too many wait, further
 *   views are dropped and counted in `page_views_dropped_total`, and the caller gets `database_busy`.
 * - Stored: raw rows, in a partition per day.
 * - Rolled up: the worker sums a day after its end, and deletes its salt, so that visitors can no longer be recognized.
 * - Deleted: the worker drops the partition of raw rows after `retentionDays.views`. The sums stay.
 */

export interface Tracker {
  /**
   * Stores a view, and resolves when it is stored. Views by bots are dropped. Rejects with `database_busy` if too
   * many views are waiting.
   */
  track(visit: PageVisit, view: TrackView): Promise<void>;
}

interface PageVisit {
  /** Database, or the caller's transaction. With a transaction, the page view is stored in it, not in a batch with others. */
  deps: Pick<StoreDeps, 'database'>;
  siteId: string;
  /** Address of the client, in the form that rate limits count. */
  client: string;
  host: string;
  userAgent: string | undefined;
}

/** View without its visitor hash. */
type VisitedPageView = Omit<PageView, 'visitor'> & { client: string; agent: string };

/**
 * Creates the tracker of this process. `track` does nothing for robots, and throws `database_busy` if too many views
 * are waiting.
 */
export function createTracker(deps: StoreDeps & { metrics?: Registry | undefined }): Tracker {
  const saltOf = createSaltSource(deps);
  const countDropped = createDroppedCounter(deps.metrics);
  const hashed = async ({ client, agent, ...view }: VisitedPageView): Promise<PageView> => ({
    ...view,
    visitor: visitorHash(await saltOf(view.day), view.site_id, client, agent),
  });
  const store = createBatchQueue(async (visited: VisitedPageView[]) => {
    await insertViews(deps.database, await Promise.all(visited.map(hashed)));
    return () => {};
  });
  return {
    async track({ deps: { database }, siteId, client, host, userAgent: agent = '' }, input) {
      if (!isHuman(agent)) return;
      const visited = {
        site_id: siteId,
        day: dayOf(deps.clock.now()),
        path: barePath(input.path),
        referrer: referrerHost(input, host),
        utm_source: input.utm_source ?? '',
        utm_medium: input.utm_medium ?? '',
        utm_campaign: input.utm_campaign ?? '',
        client,
        agent,
      };
      // A view in a transaction cannot share a statement with views of others.
      if (database !== deps.database) return insertViewWithin(database, await hashed(visited));
      try {
        await store(visited);
      } catch (error) {
        if (!(error instanceof TooManyWaitingError)) throw error;
        countDropped();
        throw databaseBusy(error);
      }
    },
  };
}

function createDroppedCounter(registry: Registry | undefined) {
  if (!registry) return () => {};
  const dropped = new Counter({
    name: 'page_views_dropped_total',
    help: 'Page views dropped because too many were waiting for the database',
    registers: [registry],
  });
  return () => dropped.inc();
}

/**
 * Anonymous visitor ID that fits a PostgreSQL bigint. It is a hash of address and user agent with a salt that is
 * deleted after the day. A person counts once a day, and cannot be followed to another day or site.
 */
const visitorHash = (salt: string, siteId: string, client: string, agent: string): string =>
  createHash('sha256')
    .update(`${salt}\n${siteId}\n${client}\n${agent}`)
    .digest()
    .readBigInt64BE(0)
    .toString();

/** Returns whether a user agent is a person's. */
const isHuman = (agent: string) => agent !== '' && !isbot(agent);

/** Returns a path without its query string and fragment, which may identify a person. */
const barePath = (path: string) => path.replace(/[?#].*$/s, '');

/** Maximum length of a host name (RFC 1035, 2.3.4). */
const maxHostLength = 253;

/** Returns the host that a visitor came from; empty if it is unknown, or the site itself. */
function referrerHost({ referrer }: TrackView, ownHost: string): string {
  if (!referrer || !URL.canParse(referrer)) return '';
  const { hostname } = new URL(referrer);
  return hostname === ownHost || hostname.length > maxHostLength ? '' : hostname;
}

/** Returns the salt of a day, the same in every process. The latest is cached, so that a day costs one query. */
function createSaltSource({ database, randomBytes }: StoreDeps) {
  let latest: { day: string; salt: Promise<string> } | undefined;
  return (day: string): Promise<string> => {
    if (latest?.day !== day) {
      const salt = getSalt(day);
      latest = { day, salt };
      // A failure is not cached: the next view tries again.
      salt.catch(() => {
        if (latest?.salt === salt) latest = undefined;
      });
    }
    return latest.salt;
  };

  async function getSalt(day: string): Promise<string> {
    const fresh = Buffer.from(randomBytes(32)).toString('base64url');
    const db = database.em.getKysely();
    await sql`insert into page_view_salts (day, salt) values (${day}, ${fresh}) on conflict do nothing`.execute(
      db,
    );
    const { rows } = await sql<{ salt: string }>`select salt from page_view_salts where day = ${day}`.execute(
      db,
    );
    return rows[0]?.salt ?? fresh;
  }
}
