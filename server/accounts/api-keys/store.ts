import {
  ApiKeySummary,
  type CreateApiKey,
  type UpdateApiKey,
} from '../../../shared/contract/features/api-keys.ts';
import { rotationOverlapHours } from '../../../shared/contract/limits.ts';
import { namesOf, omitUndefined } from '../../../shared/contract/names-of.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import { Timestamp, toDate } from '../../../shared/contract/timestamps.ts';
import { ApiKey } from '../../../shared/db/entities/api-key.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { keyPrefix, newKeySecret } from '../../api/access/credentials.ts';
import { ApiError } from '../../api/api-error.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../api/transaction.ts';

/** Creates an API key of a site. Only this result contains the full key. */
export async function createKey(
  { database, clock, randomBytes }: StoreDeps,
  siteId: string,
  input: CreateApiKey,
) {
  const now = new Timestamp(clock.now());
  const key = newKeySecret(siteId, randomBytes);
  const row = {
    id: newRecordId(now, randomBytes),
    key_prefix: keyPrefix(key),
    name: input.name,
    scopes: stored.scopes(input.scopes),
    allowed_origins: stored.origins(input.allowed_origins),
    active: true,
    expiry: stored.expiry(input.expiry),
    created: now,
  };
  const em = database.em.fork();
  await em
    .persist(em.create(ApiKey, { ...row, site_id: siteId, key_hash: hashSecret(key), updated: now }))
    .flush();
  return { ...row, key };
}

/** Lists all keys of a site, newest first, without their secrets. Empty if it has none. */
export const listKeys = ({ database }: StoreDeps, siteId: string) =>
  database.em
    .getKysely()
    .selectFrom('api_keys')
    .select(namesOf(ApiKeySummary))
    .where('site_id', '=', siteId)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .execute();

/**
 * Changes the given fields of a key, effective from the next request in every process. Throws `not_found` if the site
 * has no such key, and `precondition_failed` if `ifMatch` does not match its revision.
 */
export async function updateKey(write: SiteWrite, { id, ...input }: UpdateApiKey): Promise<void> {
  const changes = omitUndefined(input);
  const { scopes, allowed_origins, expiry } = changes;
  await change(write, id, () => ({
    ...changes,
    ...(scopes && { scopes: stored.scopes(scopes) }),
    ...(allowed_origins !== undefined && { allowed_origins: stored.origins(allowed_origins) }),
    ...(expiry !== undefined && { expiry: stored.expiry(expiry) }),
  }));
}

/** Deletes a key. Throws `not_found` if the site has no such key. */
export async function deleteKey({ database }: StoreDeps, siteId: string, id: string): Promise<void> {
  const deleted = await database.em.fork().nativeDelete(ApiKey, { site_id: siteId, id });
  if (deleted === 0) throw new ApiError('not_found');
}

/**
 * Gives a key a new secret, and returns it. The current one stays valid for 24 hours; an earlier one ends
 * immediately. Throws `not_found` if the site has no such key.
 */
export async function rotateKey(deps: StoreDeps, siteId: string, id: string) {
  const key = newKeySecret(siteId, deps.randomBytes);
  const key_prefix = keyPrefix(key);
  const previous_key_expires_at = new Timestamp(
    deps.clock.now().getTime() + rotationOverlapHours * 3_600_000,
  );
  await change({ deps, siteId }, id, ({ key_hash }) => ({
    key_hash: hashSecret(key),
    key_prefix,
    previous_key_hash: key_hash,
    previous_key_expires_at,
  }));
  return { id, key, key_prefix, previous_key_expires_at };
}

/** Changes a locked row, so that of two concurrent rotations each ends the secret of the other. */
async function change(write: SiteWrite, id: string, changes: (row: { key_hash: string }) => object) {
  await inTransaction(write.deps, write.siteId, async (em) => {
    const row = await lockRow(em, ApiKey, { site_id: write.siteId, id });
    const updated = nextUpdated(row, write);
    const made = changes(row);
    if (Object.keys(made).length > 0) em.assign(row, { ...made, updated });
  });
}

/** Normalizes settings for storage: each scope once, and origins in the form of browsers. */
const stored = {
  scopes: (scopes: Scope[]) => [...new Set(scopes)],
  origins: (origins: string[] | null | undefined) => (origins ?? []).map((origin) => new URL(origin).origin),
  expiry: (expiry: string | Date | null | undefined) => (expiry ? new Timestamp(toDate(expiry)) : null),
};
