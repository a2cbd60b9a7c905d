import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { idempotency } from '../../../../shared/contract/limits.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import { isConflict, isUnanswered } from '../../../../shared/db/troubles.ts';
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

/** How long a process may take for work that no transaction can hold: after that it is taken for dead. */
const claimMs = 60_000;

/** How long a twin waits for such work, and how often it looks. */
const waitMs = 3_000;
const lookEveryMs = 100;

/**
 * Does the work of a request that names a key, or gives the answer that it got before; a twin waits until the first is
 * over. Work that fails leaves nothing, and is done anew when it is asked for again. Throws `idempotency_key_reused`,
 * and `database_busy` where a repetition may tell what became of it.
 */
export const idempotent = ({ meta }: Pick<Procedure, 'meta'>, ctx: Context, work: Work): Promise<Result> =>
  meta.reachesOut ? claimed(ctx, work) : inOneTransaction(ctx, work);

/** The request's row, all that the work writes and its answer are one transaction: kept together, or not at all. */
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
      if (await hasStored(ctx, em, { request, result })) await answerable(() => em.commit());
      return result;
    } finally {
      // Connections come back by this as well when the transaction could not end otherwise.
      if (em.isInTransaction()) await em.rollback().catch(() => {});
    }
  };
  return database.shares.writes(request.site_id, () => repeatConflicts(ctx.deps, attempt));
}

/** Stores what is to stay when the work is done; false when nothing is. */
async function hasStored(
  { deps, answer }: Context,
  em: Transaction,
  { request, result }: { request: RepeatedRequest; result: Result },
): Promise<boolean> {
  if (result.ok) {
    const answer_sealed = sealAnswer(deps.secrets, request, { ...answer, output: result.data });
    await storeAnswer(em, request, { claimed_until: null, answer_sealed });
    return true;
  }
  if (!(result.error instanceof ApiError && result.error.keepsWrites)) return false;
  await forget(em, request, null);
  return true;
}

/** A commit whose answer got lost may have been carried out: with a key, asking again tells, and does no harm. */
async function answerable(commit: () => Promise<void>) {
  await commit().catch((cause: unknown) => {
    throw isUnanswered(cause) ? databaseBusy(cause) : cause;
  });
}

/**
 * Claims the request, works, then keeps the answer. A process that dies in between leaves the claim, which another may
 * take over when its time is up: only then the work can be done twice.
 */
async function claimed(ctx: Context, work: Work): Promise<Result> {
  const { database, secrets } = ctx.deps;
  const { em } = database;
  const request = identify(ctx);
  const claimed_until = new Date(ctx.deps.clock.now().getTime() + claimMs);
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const stored = await take(em, request, termsOf(ctx.deps, claimed_until));
    if (!stored) break;
    if (stored.answer_sealed !== null || waitedMs >= waitMs) return replay(ctx, request, stored);
    await delay(lookEveryMs);
  }
  const result = await work(ctx);
  if (result.ok) {
    const answer_sealed = sealAnswer(secrets, request, { ...ctx.answer, output: result.data });
    await storeAnswer(em, request, { claimed_until, answer_sealed });
  } else {
    await forget(em, request, claimed_until);
  }
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
  mailer: { ...deps.mailer, send: refuseToSend, hand: refuseToSend },
  webhooks: { ...deps.webhooks, sender: { ...deps.webhooks.sender, send: refuseToSend } },
});

async function refuseToSend(): Promise<never> {
  throw new Error('a procedure that sends email or webhooks needs `reachesOut` in its meta');
}

const { min, max } = idempotency.keyLength;
const printable = new RegExp(`^[\\x20-\\x7e]{${min},${max}}$`);

/**
 * What a repetition of the request is known by. Who calls without a credential is known by the client's address, the
 * member's token and the whole request, so that two who happen on one key never meet: answers can hold tokens. Hashes are
 * keyed, since bodies can hold passwords. Throws `invalid_request` for a key that is none.
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
