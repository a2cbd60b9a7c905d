import type { CreateApiKey } from '../../shared/contract/api-keys.ts';
import { toDate } from '../../shared/contract/fields.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { ApiKey } from '../../shared/db/entities/api-key.ts';
import { hashSecret, keyPrefix, newKeySecret } from '../access/key-secret.ts';
import type { Deps } from '../deps.ts';

/** Stores a new API key of a site. The answer holds its full value, which nobody can see again. */
export async function createKey(
  { database, clock, randomBytes }: OperatorDeps,
  siteId: string,
  input: CreateApiKey,
) {
  const now = clock.now();
  const key = newKeySecret(randomBytes);
  const em = database.em.fork();
  const row = em.create(ApiKey, {
    site_id: siteId,
    id: newRecordId(now, randomBytes),
    name: input.name,
    key_hash: hashSecret(key),
    key_prefix: keyPrefix(key),
    scopes: [...new Set(input.scopes)],
    allowed_origins: (input.allowed_origins ?? []).map((origin) => new URL(origin).origin),
    active: true,
    expiry: input.expiry ? toDate(input.expiry) : null,
    created: now,
    updated: now,
  });
  await em.persist(row).flush();
  const { id, key_prefix, name, scopes, allowed_origins, active, expiry, created } = row;
  return { id, key, key_prefix, name, scopes, allowed_origins, active, expiry: expiry ?? null, created };
}

/** What operator functions need of the world. */
export type OperatorDeps = Pick<Deps, 'database' | 'clock' | 'randomBytes'>;
