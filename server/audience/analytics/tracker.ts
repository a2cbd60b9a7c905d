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

export interface Tracker {
  /** Resolves when the view is stored. One by a bot is dropped. */
  track(visit: PageVisit, view: TrackView): Promise<void>;
}

interface PageVisit {
  /** The database, or the transaction that the view belongs to. */
  deps: Pick<StoreDeps, 'database'>;
  siteId: string;
  /** The client's address as rate limits count it. */
  client: string;
  host: string;
  userAgent: string | undefined;
}

/** A view whose visitor is yet to be hashed. */
type Visited = Omit<PageView, 'visitor'> & { client: string; agent: string };

/**
 * Stores page views; those that arrive while a statement runs are stored together by the next. Where the database is too
 * far behind, views are dropped: a metric counts them, and who waits is told `database_busy`.
 */
export function createTracker(deps: StoreDeps & { metrics?: Registry | undefined }): Tracker {
  const saltOf = createSaltSource(deps);
  const countDropped = createDroppedCounter(deps.metrics);
  const hashed = async ({ client, agent, ...view }: Visited): Promise<PageView> => ({
    ...view,
    visitor: visitorHash(await saltOf(view.day), view.site_id, client, agent),
  });
  const store = createBatchQueue(async (visited: Visited[]) => {
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
      // One that belongs to a transaction can't share a statement with those of others.
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
 * Who viewed, without saying who: a hash of address and agent with a salt that is thrown away after the day, so the same
 * person counts once a day and can't be followed from one day, or one site, to the next. Fits a PostgreSQL bigint.
 */
const visitorHash = (salt: string, siteId: string, client: string, agent: string): string =>
  createHash('sha256')
    .update(`${salt}\n${siteId}\n${client}\n${agent}`)
    .digest()
    .readBigInt64BE(0)
    .toString();

/** Whether a view is a person's, as far as its agent tells. */
const isHuman = (agent: string) => agent !== '' && !isbot(agent);

/** A path without what may name a person: query string and fragment. */
const barePath = (path: string) => path.replace(/[?#].*$/s, '');

/** Longest name of a host (RFC 1035, 2.3.4). */
const longestHost = 253;

/** The host a visitor came from; empty when unknown, or when it is the site itself. */
function referrerHost({ referrer }: TrackView, ownHost: string): string {
  if (!referrer || !URL.canParse(referrer)) return '';
  const { hostname } = new URL(referrer);
  return hostname === ownHost || hostname.length > longestHost ? '' : hostname;
}

/** Gives the salt of a day, the same in every process. The latest is remembered, so a day costs one query. */
function createSaltSource({ database, randomBytes }: StoreDeps) {
  let latest: { day: string; salt: Promise<string> } | undefined;
  return (day: string): Promise<string> => {
    if (latest?.day !== day) {
      const salt = getSalt(day);
      latest = { day, salt };
      // A failure is not remembered: the next view asks again.
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
