import { sql } from 'kysely';
import type { Stripe } from 'stripe';
import { type Connection, markBroken } from '../../shared/selling/connection.ts';
import { stripeFailure } from '../../shared/selling/stripe.ts';
import { collectionStateOf, isDemoHost } from '../api/access/site-of-host.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { VisitedSite } from '../api/callers.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction } from '../api/transaction.ts';
import { clientFor, connectionOf } from './connection.ts';
import { providerError } from './provider-error.ts';

export type ActiveConnection = Extract<Connection, { state: 'active' }>;

/** Provider that takes the payments of a site at a host. The demo provider moves no money. */
export type Seller = { kind: 'demo' } | { kind: 'stripe'; connection: ActiveConnection };

interface SellingSite extends Pick<VisitedSite, 'id' | 'plan'> {
  /** Spares the query for sites without a connection. */
  collections?: VisitedSite['collections'];
}

/** Returns null for a site that sells nothing: on the plan `free`, without a connection, or with a broken one. */
export async function findSeller(
  deps: Deps,
  { id, plan, collections }: SellingSite,
  host: string,
): Promise<Seller | null> {
  if (plan === 'free') return null;
  const isUnconnected =
    collections && collectionStateOf({ collections }, 'payment_connections').public_count === 0;
  const connection = isUnconnected ? null : await connectionOf(deps, id);
  if (!connection) return isDemoHost(deps, host) ? { kind: 'demo' } : null;
  return connection.state === 'active' ? { kind: 'stripe', connection } : null;
}

/** Seller of the visited site, as `findSeller` returns it. Throws `not_found` if there is no site at the host. */
export const findVisitedSeller = async ({ deps, host }: { deps: Deps; host: string }) =>
  findSeller(deps, found(await deps.findVisitedSite(host)), host);

/** Connection of a site whatever its plan. Throws `payments_not_configured` if there is none, or it is broken. */
export async function getConnection(deps: Deps, siteId: string): Promise<ActiveConnection> {
  const connection = await connectionOf(deps, siteId);
  if (connection?.state !== 'active') throw new ApiError('payments_not_configured');
  return connection;
}

/**
 * Throws `payments_not_configured` unless the address may pay in test mode: in production only people who work on the site may, because
 * no money moves.
 */
export async function requireTestBuyer(
  { database, config }: Deps,
  { site_id, livemode }: ActiveConnection,
  email: string,
): Promise<void> {
  if (livemode || config.countsTest) return;
  const { rows } = await sql<{ works: boolean }>`select works_on(${site_id}, ${email}) as works`.execute(
    database.em.getKysely(),
  );
  if (!rows[0]?.works) throw new ApiError('payments_not_configured');
}

/**
 * Calls Stripe with a site's key, outside any transaction. Throws `payments_not_configured` for a revoked key, `provider_unavailable`,
 * and `provider_refused` with Stripe's message.
 */
export async function callStripe<T>(
  deps: Deps,
  connection: ActiveConnection,
  call: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  const stripe = await clientFor(deps, connection.key);
  try {
    return await call(stripe);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const failure = stripeFailure(error);
    if (failure.kind !== 'unauthorized') throw providerError(failure);
    const now = deps.clock.now();
    await inTransaction(deps, connection.site_id, (em) => markBroken(em, connection, now));
    throw new ApiError('payments_not_configured', undefined, { cause: failure.cause });
  }
}
