import { sql } from 'kysely';
import { z } from 'zod';
import { Timestamp } from '../../../../shared/contract/timestamps.ts';
import { preparedStatement } from '../../../../shared/db/client.ts';
import type { Transaction } from '../../../../shared/db/config.ts';
import type { SecretBox } from '../../../../shared/runtime/secret-box.ts';
import { databaseBusy } from '../../api-error.ts';
import type { AnswerNotes } from '../../context.ts';
import { transformer } from '../../transformer.ts';

/** Request of one caller that has to run once. */
export interface RepeatedRequest {
  site_id: string;
  credential: string;
  key: string;
  /** Hash of method, path and body. Another request with the same key is a repetition only if its hash is the same. */
  request_hash: string;
}

/** Stored state of an earlier request; `answer_sealed` is null while it runs. */
export interface StoredAnswer {
  request_hash: string;
  answer_sealed: string | null;
}

interface Terms {
  now: Date;
  expires_at: Date;
  /** End of the caller's claim; null if a transaction protects the row. */
  claimed_until: Date | null;
  /** Latest possible end of a claim. A later one was made before the clock was set back. */
  latestClaim: Date;
}

/** Maximum number of attempts. Each further attempt means that another request changed the row in between. */
const maxRounds = 10;

/**
 * Takes the row of a request. Returns null if the caller has to run the work, or the row's state otherwise. Waits for a
 * transaction that is about to take the same row. Throws `database_busy` if other requests keep changing the row.
 */
export async function take(
  em: Transaction,
  request: RepeatedRequest,
  terms: Terms,
): Promise<StoredAnswer | null> {
  const { now, latestClaim, ...until } = terms;
  for (let round = 0; round < maxRounds; round++) {
    if (await insert(em, request, until)) return null;
    const row = await rowOf(em, request);
    // The earlier request failed between the two statements, and its row was deleted: try again.
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

/** True if a row expired or belongs to a process that died. */
const isOver = (
  { expires_at, claimed_until }: { expires_at: Date; claimed_until: Date | null },
  { now, latestClaim }: Pick<Terms, 'now' | 'latestClaim'>,
) => expires_at <= now || (claimed_until !== null && (claimed_until <= now || claimed_until > latestClaim));

/** Takes over an expired row. Of concurrent requests, one succeeds. */
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

/** Stores the answer of a request, unless another request took its claim over. */
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

/** Deletes the row of a failed request, unless another request took it over. */
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

interface Answer extends AnswerNotes {
  output: unknown;
}

/** Encrypts an answer for storage: it can contain a secret that is shown once. */
export const sealAnswer = (secrets: SecretBox, request: RepeatedRequest, answer: Answer): string =>
  secrets.seal(JSON.stringify(transformer.serialize(answer)), ownerOf(request));

/** Decrypts a stored answer. Throws `SealedSecretError` if it was encrypted with another `SECRET_KEY`. */
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

/** Converts dates to `Timestamp`, which REST writes in its own format. */
function withTimestamps(value: unknown): unknown {
  if (value instanceof Date) return new Timestamp(value);
  if (Array.isArray(value)) return value.map(withTimestamps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTimestamps(inner)]));
}
