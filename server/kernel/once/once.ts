import { setTimeout as delay } from 'node:timers/promises';
import { idempotency } from '../../../shared/contract/limits.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { isConflict, isUnanswered } from '../../../shared/db/troubles.ts';
import { ApiError, databaseBusy } from '../api-error.ts';
import type { Context } from '../context.ts';
import type { Deps } from '../deps.ts';
import type { Procedure, Result } from '../procedures.ts';
import { joined, repeatConflicts } from '../transaction.ts';
import { forget, type Kept, keepAnswer, type Request, take } from './kept-answers.ts';
import { identify } from './request.ts';
import { openAnswer, sealAnswer } from './sealed-answer.ts';

type Work = (ctx: Context) => Promise<Result>;

/** How long a process may take for work that no transaction can hold: after that it is taken for dead. */
const claimMs = 60_000;

/** How long a twin waits for such work, and how often it looks. */
const patienceMs = 3_000;
const lookEveryMs = 100;

/**
 * Does the work of a request that names a key, or gives the answer that it got before; a twin waits until the first is
 * over. Work that fails leaves nothing, and is done anew when it is asked for again. Throws `idempotency_key_reused`,
 * and `database_busy` where a repetition may tell what became of it.
 */
export const once = ({ meta }: Pick<Procedure, 'meta'>, ctx: Context, work: Work): Promise<Result> =>
  meta.reachesOut ? claimed(ctx, work) : inOneTransaction(ctx, work);

/** The request's row, all that the work writes and its answer are one transaction: kept together, or not at all. */
function inOneTransaction(ctx: Context, work: Work): Promise<Result> {
  const { database } = ctx.deps;
  const request = identify(ctx);
  const attempt = async () => {
    const em = database.em.fork();
    await em.begin();
    try {
      const kept = await take(em, request, termsOf(ctx.deps, null));
      if (kept) return await replay(ctx, request, kept);
      const deps = withinDatabase(joined(ctx.deps, request.site_id, em));
      const result = await work({ ...ctx, deps });
      if (!result.ok && isConflict(result.error)) throw result.error;
      if (await hasKept(ctx, em, { request, result })) await commit(em);
      return result;
    } finally {
      // Connections come back by this as well when the transaction could not end otherwise.
      if (em.isInTransaction()) await em.rollback().catch(() => {});
    }
  };
  return database.shares.writes(request.site_id, () => repeatConflicts(ctx.deps, attempt));
}

/** Stores what is to stay when the work is done; false when nothing is. */
async function hasKept(
  { deps, answer }: Context,
  em: Transaction,
  { request, result }: { request: Request; result: Result },
): Promise<boolean> {
  if (result.ok) {
    const answer_sealed = sealAnswer(deps.webhooks.secrets, request, { ...answer, output: result.data });
    await keepAnswer(em, request, { claimed_until: null, answer_sealed });
    return true;
  }
  if (!(result.error instanceof ApiError && result.error.keepsWrites)) return false;
  await forget(em, request, null);
  return true;
}

/** A commit whose answer got lost may have been carried out: with a key, asking again tells, and does no harm. */
async function commit(em: Transaction) {
  await em.commit().catch((cause: unknown) => {
    throw isUnanswered(cause) ? databaseBusy(cause) : cause;
  });
}

/**
 * Claims the request, works, then keeps the answer. A process that dies in between leaves the claim, which another may
 * take over when its time is up: only then the work can be done twice.
 */
async function claimed(ctx: Context, work: Work): Promise<Result> {
  const { database, webhooks } = ctx.deps;
  const { em } = database;
  const request = identify(ctx);
  const claimed_until = new Date(ctx.deps.clock.now().getTime() + claimMs);
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const kept = await take(em, request, termsOf(ctx.deps, claimed_until));
    if (!kept) break;
    if (kept.answer_sealed !== null || waitedMs >= patienceMs) return replay(ctx, request, kept);
    await delay(lookEveryMs);
  }
  const result = await work(ctx);
  if (result.ok) {
    const answer_sealed = sealAnswer(webhooks.secrets, request, { ...ctx.answer, output: result.data });
    await keepAnswer(em, request, { claimed_until, answer_sealed });
  } else {
    await forget(em, request, claimed_until);
  }
  return result;
}

async function replay({ deps, once, answer }: Context, request: Request, kept: Kept): Promise<Result> {
  if (kept.request_hash !== request.request_hash) throw new ApiError('idempotency_key_reused');
  if (kept.answer_sealed === null) throw databaseBusy();
  if (once) once.isReplay = true;
  const { output, ...notes } = openAnswer(deps.webhooks.secrets, request, kept.answer_sealed);
  Object.assign(answer, notes);
  return { ok: true, data: output };
}

function termsOf({ clock }: Deps, claimed_until: Date | null) {
  const now = clock.now();
  // Clocks of several servers differ a little.
  const latestClaim = new Date(now.getTime() + 2 * claimMs);
  return {
    now,
    claimed_until,
    latestClaim,
    expires_at: new Date(now.getTime() + idempotency.hours * 3_600_000),
  };
}

/** For work that can still be taken back: it must send nothing. */
const withinDatabase = (deps: Deps): Deps => ({
  ...deps,
  mailer: { send: refuseToSend },
  webhooks: { ...deps.webhooks, sender: { ...deps.webhooks.sender, send: refuseToSend } },
});

async function refuseToSend(): Promise<never> {
  throw new Error('a procedure that sends something says so: `reachesOut`');
}
