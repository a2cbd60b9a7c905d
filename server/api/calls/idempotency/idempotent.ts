import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { idempotency } from '../../../../shared/contract/limits.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { isConflict, isUnanswered } from '../../../../shared/db/database-errors.ts';
import { ApiError, databaseBusy } from '../../api-error.ts';
import type { Context } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import type { Procedure, Result } from '../../procedures.ts';
import { joined, repeatConflicts } from '../../transaction.ts';
import {
  forget,
  openAnswer,
  type RepeatedRequest,
  type StoredAnswer,
  sealAnswer,
  storeAnswer,
  take,
} from './stored-answers.ts';

type Work = (ctx: Context) => Promise<Result>;

/** Time after which a claim expires, in milliseconds: its process is assumed dead. */
const claimMs = 60_000;

/**
 * Maximum time that a request waits for running work with the same key, and the interval between its checks, in
 * milliseconds.
 */
const waitMs = 3_000;
const lookEveryMs = 100;

/**
 * Idempotent write: runs a request with an `Idempotency-Key` once. A repetition, which is another request with the same
 * key, gets the stored answer. Throws `idempotency_key_reused` for a different request with the same key, and
 * `database_busy` if the outcome is still unknown.
 *
 *   absent ──take──▶ running ──success──▶ answered ──expires_at──▶ absent
 *                       └──failure──▶ absent
 *
 * Work inside the database (`inOneTransaction`): the row, the writes and the answer commit together. A repetition waits for
 * that transaction; if its process dies, PostgreSQL rolls back to absent.
 *
 * Work that reaches the network (`claimed`): the row is committed first with a claim of 60 seconds. A repetition takes over
 * an expired claim, because its process is assumed dead. Only then can the work run twice.
 *
 * Failed work leaves no row and runs again on the next request. Inside the database its writes are rolled back, except
 * those of a refusal with `keepsWrites`.
 */
export const idempotent = ({ meta }: Pick<Procedure, 'meta'>, ctx: Context, work: Work): Promise<Result> =>
  meta.reachesOut ? claimed(ctx, work) : inOneTransaction(ctx, work);

/** Runs the work in one transaction with the request's row and its answer. */
function inOneTransaction(ctx: Context, work: Work): Promise<Result> {
  const { database } = ctx.deps;
  const request = identify(ctx);
  const attempt = async () => {
    const em = database.em.fork();
    await em.begin();
    try {
      const stored = await take(em, request, termsOf(ctx.deps, null));
      if (stored) return await replay(ctx, request, stored);
      const deps = withinDatabase(joined(ctx.deps, request.site_id, em));
      const result = await work({ ...ctx, deps });
      if (!result.ok && isConflict(result.error)) throw result.error;
      // The writes of some refusals have to be committed.
      if (result.ok || (result.error instanceof ApiError && result.error.keepsWrites)) {
        await settle(ctx, em, request, result, null);
        await em.commit().catch(refuseUnanswered);
      }
      return result;
    } finally {
      // If the transaction could not end otherwise, this also returns its connection to the pool.
      if (em.isInTransaction()) await em.rollback().catch(() => {});
    }
  };
  return database.quotas.writes(request.site_id, () => repeatConflicts(ctx.deps, attempt));
}

/** Stores the answer of successful work, and deletes the row of failed work. */
async function settle(
  { deps, answer }: Context,
  em: Transaction,
  request: RepeatedRequest,
  result: Result,
  claimed_until: Date | null,
) {
  if (!result.ok) return forget(em, request, claimed_until);
  const answer_sealed = sealAnswer(deps.secrets, request, { ...answer, output: result.data });
  return storeAnswer(em, request, { claimed_until, answer_sealed });
}

/**
 * Throws the error of a commit. If the response to the commit was lost, the commit may have succeeded. The caller then
 * gets `database_busy`, because repeating the request with its key is safe.
 */
function refuseUnanswered(cause: unknown): never {
  throw isUnanswered(cause) ? databaseBusy(cause) : cause;
}

/** Claims the request, runs the work, and stores the answer. */
async function claimed(ctx: Context, work: Work): Promise<Result> {
  const { em } = ctx.deps.database;
  const request = identify(ctx);
  const claimed_until = new Date(ctx.deps.clock.now().getTime() + claimMs);
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const stored = await take(em, request, termsOf(ctx.deps, claimed_until));
    if (!stored) break;
    if (stored.answer_sealed !== null || waitedMs >= waitMs) return replay(ctx, request, stored);
    await delay(lookEveryMs);
  }
  const result = await work(ctx);
  await settle(ctx, em, request, result, claimed_until);
  return result;
}

async function replay(
  { deps, idempotency, answer }: Context,
  request: RepeatedRequest,
  stored: StoredAnswer,
): Promise<Result> {
  if (stored.request_hash !== request.request_hash) throw new ApiError('idempotency_key_reused');
  if (stored.answer_sealed === null) throw databaseBusy();
  if (idempotency) idempotency.isReplay = true;
  const { output, ...notes } = openAnswer(deps.secrets, request, stored.answer_sealed);
  Object.assign(answer, notes);
  return { ok: true, data: output };
}

function termsOf({ clock }: Deps, claimed_until: Date | null) {
  const now = clock.now();
  // Tolerates small clock differences between servers.
  const latestClaim = new Date(now.getTime() + 2 * claimMs);
  return {
    now,
    claimed_until,
    latestClaim,
    expires_at: new Date(now.getTime() + idempotency.hours * 3_600_000),
  };
}

/** Deps for work that may be rolled back: sending email or webhooks throws. */
const withinDatabase = (deps: Deps): Deps => ({
  ...deps,
  mailer: { ...deps.mailer, send: refuseToSend, hand: refuseToSend },
  webhooks: { ...deps.webhooks, sender: { ...deps.webhooks.sender, send: refuseToSend } },
});

async function refuseToSend(): Promise<never> {
  throw new Error('a procedure that sends email or webhooks needs `reachesOut` in its meta');
}

const { min, max } = idempotency.keyLength;
const printable = new RegExp(`^[\\x20-\\x7e]{${min},${max}}$`);

/**
 * Identifies the request. Calls without a credential are identified by client address, member token and the whole
 * request. Otherwise two callers with the same key could share an answer, which can contain tokens. Hashes are keyed,
 * because bodies can contain passwords. Throws `invalid_request` for a malformed key
 * or several `Idempotency-Key` headers.
 */
function identify({ deps, idempotency, siteId, credential, client, memberToken }: Context): RepeatedRequest {
  const [key, ...others] = idempotency?.keys ?? [];
  if (others.length > 0)
    throw new ApiError('invalid_request', 'Idempotency-Key: must not be sent more than once');
  if (!idempotency || key === undefined || !printable.test(key)) {
    throw new ApiError(
      'invalid_request',
      `Idempotency-Key: must have ${min} to ${max} printable ASCII characters`,
    );
  }
  if (siteId === undefined) throw new Error(`${idempotency.target}: the site is not set`);
  const { fingerprint } = deps.secrets;
  const request_hash = fingerprint(
    `${idempotency.target}\n${createHash('sha256').update(idempotency.body).digest('hex')}`,
  );
  const visitor = () => `visitor ${fingerprint(JSON.stringify([client, memberToken, request_hash]))}`;
  return { site_id: siteId, credential: credential ?? visitor(), key, request_hash };
}
