import { LRUCache } from 'lru-cache';
import { openedOrNull } from '../../shared/runtime/secret-box.ts';
import {
  connectionOwner,
  findConnection,
  markBroken,
  refusedKeyMs,
} from '../../shared/selling/connection.ts';
import { giveUp, type LeftAccount, leaveAccount, queueLook } from '../../shared/selling/leave-account.ts';
import { stripeClient, stripeFailure, stripeTimeouts } from '../../shared/selling/stripe.ts';
import type { SyncScope } from '../../shared/selling/sync-objects.ts';
import { createBackoff } from '../queue/queue.ts';
import { claimLease, type Lease, LostLeaseError, postponePass, underLease } from './lease.ts';
import { type PassDeps, runPass } from './pass.ts';

/** Maximum number of sites that one process syncs concurrently. Each makes one call at a time. */
const maxConcurrent = 8;

/** Pauses of a site after failures, in milliseconds, for example while the database restarts. */
const pauseMs = { first: 500, longest: 60_000 } as const;

/** Shortest and longest pause after Stripe was unavailable, in milliseconds. */
const unavailableMs = { min: 60_000, max: 15 * 60_000 } as const;

/** Maximum number of sites whose folded events a process remembers. */
const maxRemembered = 1_000;

/** Pause after Stripe refused a list, in milliseconds. Repeating it earlier would not change the result. */
const refusedMs = 15 * 60_000;

/**
 * Keeps sales equal to what Stripe has.
 *
 * A connection is `active` or `broken`. It waits until `due_at`. Then one worker takes its lease, which a fence protects, and runs a pass
 * (`pass.ts`): it lists the events since the cursor, fetches each object that they name, and folds it into one row. A webhook, a new
 * checkout and a button in the studio only set `due_at`; one that comes during a pass causes another. A pass ends in one of four ways:
 *
 *   done        ──▶ active; the cursor is the time at which the pass began; due in 1 min (a checkout waits) or 15 min
 *   401, 403    ──▶ broken, owners are notified once; due in 1 h, and active again if that pass is done
 *   429, 5xx, no answer, other refusals ──▶ unchanged; due later
 *   worker died, or lost its lease      ──▶ unchanged; due when the lease ends; the fence keeps the lost worker from committing
 *
 * A checkout moves: opening ──▶ open ──▶ paying ──▶ paid or failed; opening, open ──▶ expired (`fold.ts`). Purchases and memberships
 * follow refunds, disputes and invoices.
 */
export function createPaymentSync(deps: PassDeps) {
  const waiting = new Set<string>();
  const underWay = new Map<string, Promise<void>>();
  const folded = new LRUCache<string, FoldedEvents>({ max: maxRemembered });
  const { mustWait, noteFailure, noteSuccess } = createBackoff(pauseMs);
  let stopped = false;

  function run() {
    for (const site of waiting) {
      if (stopped || underWay.size >= maxConcurrent) return;
      waiting.delete(site);
      const pass = syncSite(deps, site, folded)
        .then(
          () => noteSuccess(site),
          (err: unknown) => {
            noteFailure(site);
            deps.logger.warn({ err, site_id: site }, 'pass over payments failed; retrying');
          },
        )
        .finally(() => {
          underWay.delete(site);
          run();
        });
      underWay.set(site, pass);
    }
  }

  return {
    /** Adds sites whose pass is due. */
    wake(sites: readonly string[]) {
      for (const site of sites) if (!underWay.has(site) && !mustWait(site)) waiting.add(site);
      run();
    },
    /** Starts no further pass, and waits for running ones. */
    async stop() {
      stopped = true;
      await Promise.all(underWay.values());
    },
  };
}

/** Events of a connection that this process folded. They count only while the cursor does not go back, as in a restored backup. */
interface FoldedEvents {
  connection: string;
  cursor: number;
  ids: Set<string>;
}

/** Runs the pass of a site, if it is due and no other worker does. Rejects if the database fails. */
export async function syncSite(
  deps: PassDeps,
  siteId: string,
  folded: Pick<LRUCache<string, FoldedEvents>, 'get' | 'set'> = new LRUCache({ max: 1 }),
): Promise<void> {
  const lease = await claimLease(deps, siteId, deps.publicUrl);
  if (!lease) return;
  try {
    await syncUnderLease(deps, lease, folded);
  } catch (error) {
    if (!(error instanceof LostLeaseError)) throw error;
  }
}

async function syncUnderLease(
  deps: PassDeps,
  lease: Lease,
  folded: Pick<LRUCache<string, FoldedEvents>, 'get' | 'set'>,
): Promise<void> {
  const connection = await findConnection(deps, lease.site_id);
  if (!connection?.key) return postponePass(deps, lease, refusedKeyMs);
  const { key } = connection;
  const stripe = await stripeClient(key, { apiBase: deps.stripeApiBase, timeoutMs: stripeTimeouts.worker });
  try {
    const transact: SyncScope['transact'] = (work) => underLease(deps, lease, work);
    const cursor = connection.cursor?.getTime() ?? 0;
    const known = folded.get(lease.site_id);
    const isNext = known?.connection === connection.id && known.cursor <= cursor;
    const events = isNext ? known : { connection: connection.id, cursor, ids: new Set<string>() };
    folded.set(lease.site_id, events);
    const next = await runPass(deps, lease, { deps, connection, stripe, transact }, events.ids);
    events.cursor = next.getTime();
  } catch (error) {
    if (error instanceof LostLeaseError) throw error;
    const failure = stripeFailure(error);
    deps.logger.warn({ site_id: lease.site_id, reason: failure.message }, 'pass over payments ended early');
    if (failure.kind === 'unauthorized')
      await underLease(deps, lease, (em) => markBroken(em, connection, deps.clock.now()));
    await postponePass(deps, lease, waitMsAfter(failure));
  }
}

/**
 * Ends what a site left at an account. Does nothing in a copy of the database under another PUBLIC_URL. Rejects if Stripe does not
 * answer, so that the job is repeated.
 */
export async function endLeftAccount(deps: PassDeps, left: LeftAccount): Promise<void> {
  const { site_id, account, checkouts } = left;
  if (account.public_url !== deps.publicUrl.origin) return;
  const transact: SyncScope['transact'] = (work) => deps.database.em.fork().transactional(work);
  const key = openedOrNull(() => deps.secrets.open(account.key_sealed, connectionOwner(site_id)));
  if (key === null) {
    await transact((em) => giveUp(em, deps, site_id, checkouts));
    return;
  }
  const stripe = await stripeClient(key, { apiBase: deps.stripeApiBase, timeoutMs: stripeTimeouts.worker });
  const paying = await leaveAccount({ deps, stripe, transact }, left);
  if (paying.length > 0) await transact((em) => queueLook(em, { ...left, checkouts: paying }));
}

function waitMsAfter(failure: ReturnType<typeof stripeFailure>): number {
  if (failure.kind === 'unauthorized') return refusedKeyMs;
  if (failure.kind === 'refused') return refusedMs;
  return Math.min(Math.max(failure.retryAfter * 1_000, unavailableMs.min), unavailableMs.max);
}
