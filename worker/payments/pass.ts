import type { Logger } from 'pino';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import { Membership } from '../../shared/db/entities/audience.ts';
import { CheckoutEntity } from '../../shared/db/entities/offers.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import type { SaleDeps } from '../../shared/selling/apply-fold.ts';
import type { Connection, ConnectionDeps } from '../../shared/selling/connection.ts';
import { idOf } from '../../shared/selling/fold.ts';
import { stripeFailure } from '../../shared/selling/stripe.ts';
import {
  type SyncScope,
  syncCharge,
  syncSession,
  syncSubscription,
  syncSubscriptionById,
} from '../../shared/selling/sync-objects.ts';
import { ensureEndpoint, eventTypes } from '../../shared/selling/webhook-endpoint.ts';
import { createRenewal, endPass, type Lease } from './lease.ts';

export interface PassDeps extends SaleDeps, ConnectionDeps {
  secrets: Pick<SecretBox, 'open' | 'seal'>;
  logger: Logger;
  /** Origin of Stripe's API. */
  stripeApiBase: URL;
}

const dayMs = 86_400_000;

/**
 * Time before the last pass from which events are listed, in milliseconds. Their times may differ from this machine's, and
 * some appear late.
 */
const overlapMs = 600_000;

/** Time between two listings of all subscriptions, in milliseconds. */
const listingMs = dayMs;

/**
 * Gap between passes, in milliseconds, after which refunds and disputes are listed too. Stripe keeps events for 30 days.
 */
const longGapMs = 25 * dayMs;
const reversalsMs = 180 * dayMs;

/** Number of objects per page of a list, and per renewal of the lease. */
const batchSize = 100;

const toSeconds = (ms: number) => Math.floor(ms / 1_000);

/** Stripe object of a sale, to fetch and fold into rows. */
interface Named {
  kind: 'session' | 'subscription' | 'charge';
  id: string;
  /** True if the object's metadata names the site. */
  isOwn: boolean;
  /** IDs of the events that name the object. */
  events?: string[];
  /** Subscription with its latest invoice, and the time of its listing. */
  listed?: { subscription: Stripe.Subscription; as_of: Date } | undefined;
}

/**
 * Runs a pass under a lease, and stores its result. Events in `folded` are skipped: this process fetched their objects after they
 * happened. The pass adds those that it folds, also if it fails, and removes those that are too old to be listed. Returns the new
 * cursor. Throws as the client does, and `LostLeaseError`.
 */
export async function runPass(
  deps: PassDeps,
  lease: Lease,
  scope: SyncScope & { connection: Connection },
  folded: Set<string>,
): Promise<Date> {
  const { connection, stripe } = scope;
  const began = deps.clock.now();
  const { listed_at } = connection;
  // Times after now come from a clock that was set back.
  const isComplete = !listed_at || Math.abs(began.getTime() - listed_at.getTime()) >= listingMs;
  const cursor = new Date(Math.min(connection.cursor?.getTime() ?? 0, began.getTime()));
  const renew = createRenewal(deps, lease);
  const fold = (batch: readonly Named[]) => foldBatch(deps, scope, { batch, renew, folded });
  const named = await listEvents(scope, cursor, renew, folded);
  for (let from = 0; from < named.length; from += batchSize) await fold(named.slice(from, from + batchSize));
  if (began.getTime() - cursor.getTime() > longGapMs)
    for await (const batch of listReversed(stripe, began)) await fold(batch);
  if (isComplete) {
    for await (const batch of listSubscriptions(scope)) await fold(batch);
    await fold(await listWaiting(scope));
  }
  const hook = isComplete ? await ensureEndpoint(deps, stripe, connection) : null;
  await endPass(deps, lease, { cursor: began, listedBefore: isComplete ? listed_at : undefined, hook });
  return began;
}

/** Folds objects one after the other, and adds their events to `folded`. Skips objects that Stripe refuses to return. */
async function foldBatch(
  { logger }: PassDeps,
  scope: SyncScope,
  step: { batch: readonly Named[]; renew(isNow?: boolean): Promise<void>; folded: Set<string> },
) {
  const { batch, renew, folded } = step;
  const { site_id } = scope.connection;
  await renew(true);
  const foreign = batch.filter(({ isOwn, kind }) => !isOwn && kind !== 'charge').map(({ id }) => id);
  const known = foreign.length > 0 ? await findKnown(scope, foreign) : new Set();
  for (const { kind, id, isOwn, listed, events = [] } of batch) {
    if (!isOwn && kind !== 'charge' && !known.has(id)) continue;
    await renew();
    try {
      if (kind === 'session') await syncSession(scope, id);
      else if (kind === 'charge') await syncCharge(scope, id);
      else if (listed) await syncSubscription(scope, listed.subscription, listed.as_of);
      else await syncSubscriptionById(scope, id);
      for (const event of events) folded.add(event);
    } catch (error) {
      const failure = stripeFailure(error);
      if (failure.kind !== 'refused') throw error;
      logger.warn({ site_id, object: id, reason: failure.message }, 'Stripe refused to return an object');
    }
  }
}

/** Ids among `ids` of subscriptions that are memberships of the site. */
async function findKnown({ transact, connection: { site_id } }: SyncScope, ids: readonly string[]) {
  const own = { site_id, provider: 'stripe', external_id: { $in: [...ids] } };
  const known = await transact((em) => em.find(Membership, own, { fields: ['external_id'] }));
  return new Set(known.map(({ external_id }) => external_id));
}

const Reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .catch(null);

const Metadata = z.object({ site: z.string().optional() }).nullish().catch(null);

/** Object of an event. Events have the shape of the API version that was current when they happened. */
const EventObject = z.object({
  id: z.string(),
  object: z.string(),
  metadata: Metadata,
  charge: Reference,
  subscription: Reference,
  parent: z
    .object({ subscription_details: z.object({ subscription: Reference, metadata: Metadata }).nullish() })
    .nullish()
    .catch(null),
});

/**
 * Objects that the events since a time name, except those `folded` already: each once, oldest event first. Removes events that are not
 * listed any more from `folded`. The lease is renewed before each page.
 */
async function listEvents(
  { stripe, connection }: SyncScope,
  since: Date,
  renew: () => Promise<void>,
  folded: Set<string>,
): Promise<Named[]> {
  const all: (Named & { event: string })[] = [];
  const listed = new Set<string>();
  const created = { gte: Math.max(0, toSeconds(since.getTime() - overlapMs)) };
  for await (const page of pagesOf((after) =>
    stripe.events.list({ types: [...eventTypes], created, ...after }),
  )) {
    await renew();
    for (const event of page) {
      listed.add(event.id);
      if (folded.has(event.id)) continue;
      const { data: object } = EventObject.safeParse(event.data.object);
      const named = object && namedBy(object, connection.site_id);
      if (named) all.push({ ...named, event: event.id });
    }
  }
  const once = new Map<string, Named>();
  for (const { event, ...named } of all.reverse()) {
    const key = `${named.kind} ${named.id}`;
    const { isOwn = false, events = [] } = once.get(key) ?? {};
    once.set(key, { ...named, isOwn: named.isOwn || isOwn, events: [...events, event] });
  }
  for (const event of folded) if (!listed.has(event)) folded.delete(event);
  return [...once.values()];
}

function namedBy(event: z.output<typeof EventObject>, siteId: string): Named | null {
  const { object, id, metadata, charge, subscription, parent } = event;
  const isOwn = metadata?.site === siteId;
  if (object === 'checkout.session') return isOwn ? { kind: 'session', id, isOwn } : null;
  if (object === 'subscription') return { kind: 'subscription', id, isOwn };
  if (object === 'charge') return { kind: 'charge', id, isOwn };
  if (object === 'refund' || object === 'dispute')
    return charge ? { kind: 'charge', id: charge, isOwn } : null;
  const details = parent?.subscription_details;
  const paid = details?.subscription ?? subscription;
  return paid ? { kind: 'subscription', id: paid, isOwn: details?.metadata?.site === siteId } : null;
}

/** Pages of a list of Stripe. */
async function* pagesOf<Item extends { id: string }>(
  list: (page: { limit: number; starting_after?: string }) => Promise<{ data: Item[]; has_more: boolean }>,
) {
  for (let after = {}; ; ) {
    const { data, has_more } = await list({ limit: batchSize, ...after });
    yield data;
    const last = data.at(-1);
    if (!has_more || !last) return;
    after = { starting_after: last.id };
  }
}

/** Charges that were refunded or disputed, in batches. */
async function* listReversed({ refunds, disputes }: Stripe, now: Date): AsyncGenerator<Named[]> {
  const created = { gte: toSeconds(now.getTime() - reversalsMs) };
  const chargesOf = (reversals: readonly { charge: string | { id: string } | null }[]) =>
    reversals.flatMap(({ charge }): Named[] => {
      const id = idOf(charge);
      return id ? [{ kind: 'charge', id, isOwn: false }] : [];
    });
  for await (const page of pagesOf((after) => refunds.list({ created, ...after }))) yield chargesOf(page);
  for await (const page of pagesOf((after) => disputes.list({ created, ...after }))) yield chargesOf(page);
}

/** All subscriptions of the account, in batches. */
async function* listSubscriptions({ stripe, connection, deps }: SyncScope): AsyncGenerator<Named[]> {
  let as_of = deps.clock.now();
  const list = (after: object) => {
    as_of = deps.clock.now();
    return stripe.subscriptions.list({ status: 'all', expand: ['data.latest_invoice'], ...after });
  };
  for await (const page of pagesOf(list))
    yield page.map((subscription): Named => {
      const isOwn = subscription.metadata.site === connection.site_id;
      return { kind: 'subscription', id: subscription.id, isOwn, listed: { subscription, as_of } };
    });
}

/** Sessions of checkouts that wait for their payment. */
async function listWaiting({ transact, connection: { site_id } }: SyncScope): Promise<Named[]> {
  const waiting = {
    site_id,
    state: { $in: ['opening', 'open', 'paying'] },
    session_ref: { $ne: null },
  } as const;
  const rows = await transact((em) => em.find(CheckoutEntity, waiting, { fields: ['session_ref'] }));
  return rows.flatMap(({ session_ref: id }) => (id ? [{ kind: 'session', id, isOwn: true }] : []));
}
