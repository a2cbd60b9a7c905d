import { sql } from 'kysely';
import type { PlanName } from '../../shared/contract/plans.ts';
import { plannedOnce } from '../../shared/db/planned-once.ts';
import { sharedRuns } from '../../shared/shared-run.ts';
import type { Deps, World } from '../deps.ts';
import { hashSecret, isKeySecret } from './key-secret.ts';
import { hostAdmits } from './site-of-host.ts';

/** An API key as access checks see it, with what they need of its site. */
export interface KnownKey {
  id: string;
  site_id: string;
  key_prefix: string;
  scopes: string[];
  allowed_origins: string[];
  active: boolean;
  expiry: Date | null;
  plan: PlanName;
  mcp_enabled: boolean;
  last_used_at: Date | null;
  /** The collection that was asked for, as it was in the same moment. */
  collection: CollectionVersion;
}

export interface CollectionVersion {
  /** Raised by every write to the collection. */
  version: number;
  /** How many of its records can be read. */
  public_count: number;
}

interface KeyQuestion {
  secret: string;
  /** Host name that the request asked for. */
  host: string;
  /** Collection whose version is wanted too; empty for none. */
  collection: string;
}

/** Answers with the key, or null when there is none with this secret, or `host` is another site's domain (DECISIONS 1). */
export type KeyFinder = (question: KeyQuestion) => Promise<KnownKey | null>;

const touchAfterMs = 60_000;

/**
 * Finds keys by their secret, current or rotated away less than 24 hours ago. One query, and none for a secret with a
 * typo. Requests that ask the same at the same moment share a query that begins after all of them have come.
 */
export function createKeyFinder(world: World): KeyFinder {
  const find = sharedRuns((question: string) => queryKey(world, JSON.parse(question)));
  return async ({ secret, host, collection }) =>
    isKeySecret(secret) ? find(JSON.stringify({ hash: hashSecret(secret), host, collection })) : null;
}

async function queryKey(
  { database, clock, config }: World,
  { hash, host, collection }: { hash: string; host: string; collection: string },
) {
  const { rows } = await sql<Omit<KnownKey, 'collection'> & CollectionVersion>`${plannedOnce}
    select k.id, k.site_id, k.key_prefix, k.scopes, k.allowed_origins, k.active, k.expiry, k.last_used_at,
      s.plan, s.mcp_enabled, coalesce(c.version, 0) as version, coalesce(c.public_count, 0) as public_count
    from api_keys k join sites s on s.id = k.site_id
    left join collection_state c on c.site_id = k.site_id and c.collection = ${collection}
    where (k.key_hash = ${hash} or (k.previous_key_hash = ${hash} and k.previous_key_expires_at > ${clock.now()}))
      and ${hostAdmits(host, config.publicUrl.hostname, sql.ref('k.site_id'))}`.execute(
    database.em.getKysely(),
  );
  if (!rows[0]) return null;
  const { version, public_count, ...key } = rows[0];
  return { ...key, collection: { version, public_count } };
}

/** Notes that a key was used, at most once a minute. */
export async function touchKey(deps: Deps, key: KnownKey): Promise<void> {
  const now = deps.clock.now();
  const stale = new Date(now.getTime() - touchAfterMs);
  if (key.last_used_at && key.last_used_at > stale) return;
  await sql`
    update api_keys set last_used_at = ${now}
    where site_id = ${key.site_id} and id = ${key.id} and (last_used_at is null or last_used_at <= ${stale})
  `.execute(deps.database.em.getKysely());
}
