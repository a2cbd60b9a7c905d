import { sql } from 'kysely';
import type { PlanName } from '../../shared/contract/plans.ts';
import { plannedOnce } from '../../shared/db/planned-once.ts';
import type { Deps } from '../deps.ts';
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
}

const touchAfterMs = 60_000;

/**
 * The key with this secret, current or rotated away less than 24 hours ago; null when there is none, or when `host`
 * is the domain of another site than the key's (DECISIONS 1). One query, none for a secret with a typo.
 */
export async function findKey(deps: Deps, secret: string, host: string): Promise<KnownKey | null> {
  if (!isKeySecret(secret)) return null;
  const hash = hashSecret(secret);
  const { rows } = await sql<KnownKey>`${plannedOnce}
    select k.id, k.site_id, k.key_prefix, k.scopes, k.allowed_origins, k.active, k.expiry, k.last_used_at, s.plan, s.mcp_enabled
    from api_keys k join sites s on s.id = k.site_id
    where (k.key_hash = ${hash} or (k.previous_key_hash = ${hash} and k.previous_key_expires_at > ${deps.clock.now()}))
      and ${hostAdmits(host, deps.config.publicUrl.hostname, sql.ref('k.site_id'))}`.execute(
    deps.database.em.getKysely(),
  );
  return rows[0] ?? null;
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
