import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { statementWithPlaceholders } from '../../../shared/db/client.ts';
import { selectCollectionState } from '../../../shared/db/entities/collection-state.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { singleFlightByKey } from '../../../shared/runtime/single-flight.ts';
import type { CollectionState, KeyQuestion, SiteKey } from '../callers.ts';
import type { Deps, Infrastructure } from '../deps.ts';
import { noteWhereWritable } from '../transaction.ts';
import { isKeySecret } from './credentials.ts';
import { hostAdmits, hostNames } from './site-of-host.ts';

const touchAfterMs = 60_000;

/** Maximum number of secrets whose hashes are cached. The least recently used ones are dropped. */
const maxHashes = 1_000;

/**
 * Creates a finder of keys by their secret: the current one, or one that was rotated less than 24 hours ago. The
 * finder returns null if no key has the secret, or if the host is another site's domain.
 *
 * A lookup is one query; a secret with a typo fails its checksum and costs none. Concurrent lookups of the same key
 * share a query that begins after all of them arrived.
 */
export function createKeyFinder(infrastructure: Infrastructure): Pick<Deps, 'findKey'> {
  const query = createKeyQuery(infrastructure);
  const find = singleFlightByKey(query);
  const hashes = new LRUCache<string, string>({ max: maxHashes });
  const hashOf = (secret: string) => {
    const cached = hashes.get(secret);
    if (cached !== undefined || !isKeySecret(secret)) return cached;
    const hash = hashSecret(secret);
    hashes.set(secret, hash);
    return hash;
  };
  return {
    findKey({ secret, host, collection }) {
      const hash = hashOf(secret);
      if (hash === undefined) return Promise.resolve(null);
      return find(`${hash} ${collection} ${host}`, { hash, host, collection });
    },
  };
}

type Row = Omit<SiteKey, 'kind' | 'collectionState'> & CollectionState;

function createKeyQuery({ database, clock, config }: Infrastructure) {
  const find = (isOurHost: boolean) =>
    statementWithPlaceholders(
      ['collection', 'hash', 'now', 'host', 'subdomain'],
      ({ collection, hash, now, host, subdomain }) => sql<Row>`
      select k.id, k.name, k.site_id, k.key_prefix, k.scopes, k.allowed_origins, k.active, k.expiry, k.last_used_at,
        s.plan, s.mcp_enabled, coalesce(c.version, 0) as version, coalesce(c.public_count, 0) as public_count
      from api_keys k join sites s on s.id = k.site_id
      cross join lateral (${selectCollectionState(sql.ref('k.site_id'), collection)}) c
      where (k.key_hash = ${hash} or (k.previous_key_hash = ${hash} and k.previous_key_expires_at > ${now}))
        ${isOurHost ? sql`` : sql`and ${hostAdmits({ host, subdomain }, sql.ref('k.site_id'))}`}`,
    );
  const [atOurHost, elsewhere] = [find(true), find(false)];
  return async ({
    hash,
    host,
    collection,
  }: Omit<KeyQuestion, 'secret'> & { hash: string }): Promise<SiteKey | null> => {
    const values = { collection, hash, now: clock.now(), ...hostNames(host, config) };
    // The service's own host accepts keys of every site.
    const select = host === config.publicUrl.hostname ? atOurHost : elsewhere;
    const [row] = await select(database, values);
    if (!row) return null;
    database.quotas.recent.note(row.site_id);
    const { version, public_count, ...key } = row;
    const collectionState = collection === null ? null : { version, public_count };
    return { kind: 'key', ...key, collectionState };
  };
}

/** True if a use of the key was recorded less than a minute ago. */
export const isTouched = ({ last_used_at }: SiteKey, now: Date) =>
  last_used_at !== null && Math.abs(now.getTime() - last_used_at.getTime()) < touchAfterMs;

/** Records that a key was used, at most once a minute. */
export const touchKey = (deps: Deps, key: SiteKey): Promise<void> =>
  noteWhereWritable(deps, () => noteUse(deps, key, deps.clock.now()));

async function noteUse({ database }: Pick<Deps, 'database'>, key: SiteKey, now: Date) {
  const [earliest, latest] = [-touchAfterMs, touchAfterMs].map((ms) => new Date(now.getTime() + ms));
  await sql`
    update ${sql.table(key.consent ? 'oauth_grants' : 'api_keys')} set last_used_at = ${now}
    where site_id = ${key.site_id} and id = ${key.id} and (last_used_at is null or last_used_at <= ${earliest} or last_used_at >= ${latest})
  `.execute(database.em.getKysely());
}
