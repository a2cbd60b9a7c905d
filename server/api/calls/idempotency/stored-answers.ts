import { sql } from 'kysely';
import { z } from 'zod';
import { Timestamp } from '../../../../shared/contract/moments.ts';
import { preparedStatement } from '../../../../shared/db/client.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import type { SecretBox } from '../../../../shared/runtime/secret-box.ts';
import { databaseBusy } from '../../api-error.ts';
import type { AnswerNotes } from '../../context.ts';
import { transformer } from '../../transformer.ts';

/** The request of one caller that is to be done once. */
export interface RepeatedRequest {
  site_id: string;
  credential: string;
  key: string;
  /** Tells whether a repetition has the same method, path and body. */
  request_hash: string;
}

/** What is known of a request that was there before. */
export interface StoredAnswer {
  request_hash: string;
  answer_sealed: string | null;
}

interface Terms {
  now: Date;
  /** Until when its answer is kept. */
  expires_at: Date;
  /** Until when it belongs to whoever begins it now; null when its transaction says that. */
  claimed_until: Date | null;
  /** No claim ends after that, unless it was made before the clock was set back. */
  latestClaim: Date;
}

/** Each further one means that another came in between. */
const mostRounds = 10;

/**
 * Takes the row of a request: null when it is the caller's to do, else what is kept of it. Waits for a transaction that
 * is about to take the same row. Throws `database_busy` when others keep coming in between.
 */
export async function take(
  em: Transaction,
  request: RepeatedRequest,
  terms: Terms,
): Promise<StoredAnswer | null> {
  const { now, latestClaim, ...until } = terms;
  for (let round = 0; round < mostRounds; round++) {
    if (await insert(em, request, until)) return null;
    const row = await rowOf(em, request);
    // Whoever had it gave it up meanwhile.
    if (!row) continue;
    if (!isOver(row, { now, latestClaim })) return row;
    if (await takeOver(em, request, terms)) return null;
  }
  throw databaseBusy();
}

async function insert(
  em: Transaction,
  request: RepeatedRequest,
  { expires_at, claimed_until }: Pick<Terms, 'expires_at' | 'claimed_until'>,
) {
  const { site_id, credential, key, request_hash } = request;
  const { numAffectedRows } = await sql`${preparedStatement}
    insert into idempotency_keys (site_id, credential, key, request_hash, claimed_until, expires_at)
    values (${site_id}, ${credential}, ${key}, ${request_hash}, ${claimed_until}, ${expires_at})
    on conflict do nothing`.execute(em.getKysely());
  return numAffectedRows === 1n;
}

const rowOf = (em: Transaction, { site_id, credential, key }: RepeatedRequest) =>
  em
    .getKysely()
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer_sealed', 'claimed_until', 'expires_at'])
    .where('site_id', '=', site_id)
    .where('credential', '=', credential)
    .where('key', '=', key)
    .executeTakeFirst();

/** Whether a row is past its time, or belongs to a process that died. */
const isOver = (
  { expires_at, claimed_until }: { expires_at: Date; claimed_until: Date | null },
  { now, latestClaim }: Pick<Terms, 'now' | 'latestClaim'>,
) => expires_at <= now || (claimed_until !== null && (claimed_until <= now || claimed_until > latestClaim));

/** Of several who find such a row at once, one gets it. */
async function takeOver(
  em: Transaction,
  request: RepeatedRequest,
  { now, latestClaim, ...until }: Terms,
): Promise<boolean> {
  const { site_id, credential, key, request_hash } = request;
  const { numUpdatedRows } = await em
    .getKysely()
    .updateTable('idempotency_keys')
    .set({ request_hash, ...until, answer_sealed: null })
    .where('site_id', '=', site_id)
    .where('credential', '=', credential)
    .where('key', '=', key)
    .where(({ eb, or }) =>
      or([
        eb('expires_at', '<=', now),
        eb('claimed_until', '<=', now),
        eb('claimed_until', '>', latestClaim),
      ]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Keeps the answer of a request, unless it was taken over from who claimed it until then. */
export async function storeAnswer(
  em: Transaction,
  { site_id, credential, key }: RepeatedRequest,
  { claimed_until, answer_sealed }: { claimed_until: Date | null; answer_sealed: string },
): Promise<void> {
  await sql`${preparedStatement}
    update idempotency_keys set answer_sealed = ${answer_sealed}, claimed_until = null
    where site_id = ${site_id} and credential = ${credential} and key = ${key}
      and claimed_until is not distinct from ${claimed_until}`.execute(em.getKysely());
}

/** Gives up a request that failed, unless it was taken over. */
export async function forget(
  em: Transaction,
  { site_id, credential, key }: RepeatedRequest,
  claimed_until: Date | null,
): Promise<void> {
  await em
    .getKysely()
    .deleteFrom('idempotency_keys')
    .where('site_id', '=', site_id)
    .where('credential', '=', credential)
    .where('key', '=', key)
    .where('claimed_until', 'is not distinct from', claimed_until)
    .execute();
}

/** What a procedure gave, and what is known of it besides. */
interface Answer extends AnswerNotes {
  output: unknown;
}

/** An answer as it is stored: it can hold a secret that is shown once. */
export const sealAnswer = (secrets: SecretBox, request: RepeatedRequest, answer: Answer): string =>
  secrets.seal(JSON.stringify(transformer.serialize(answer)), ownerOf(request));

/** The answer again, as the procedure gave it. */
export function openAnswer(secrets: SecretBox, request: RepeatedRequest, sealed: string): Answer {
  const answer = transformer.deserialize(JSON.parse(secrets.open(sealed, ownerOf(request))));
  const { output, ...notes } = Sealed.parse(answer);
  return { output: withTimestamps(output), ...notes };
}

const Sealed = z.object({
  output: z.unknown(),
  revision: z.number().optional(),
  status: z.literal(200).optional(),
});

const ownerOf = ({ site_id, credential, key }: RepeatedRequest) =>
  JSON.stringify(['answer', site_id, credential, key]);

/** Moments of answers are `Timestamp`, which REST writes in a form of its own. */
function withTimestamps(value: unknown): unknown {
  if (value instanceof Date) return new Timestamp(value);
  if (Array.isArray(value)) return value.map(withTimestamps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTimestamps(inner)]));
}
