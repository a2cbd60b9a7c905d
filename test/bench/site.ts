import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createKey } from '../../server/accounts/api-keys/store.ts';
import { createSite } from '../../server/accounts/sites/store.ts';
import type { StoreDeps } from '../../server/api/deps.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { systemClock } from '../../shared/contract/timestamps.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';

/** Opens the database for this process, to prepare a measurement. Closes with `await using`. */
export async function openOperator(url: string) {
  const database = await openDatabase({ url, poolSize: 4, applicationName: 'bench' });
  const deps: StoreDeps = { database, clock: systemClock, randomBytes };
  return { ...deps, [Symbol.asyncDispose]: () => database.close() };
}

/** Creates a site with a key and public posts with bodies of 2 KB, one per minute in the past. */
export async function seedSite(deps: StoreDeps, posts: number) {
  const siteId = await createSite(deps, { name: 'A site', plan: 'pro' });
  const { key } = await createKey(deps, siteId, {
    name: 'bench',
    scopes: ['read', 'write', 'read:content', 'read:members', 'read:subscribers', 'read:analytics'],
  });
  const db = deps.database.em.getKysely();
  await sql`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    select ${siteId}, lpad(n::text, 15, '0'), 'Post ' || n, 'post-' || n, repeat(md5(n::text) || ' lorem ipsum ', 45),
      'What post ' || n || ' is about', 'public', false, moment, false, array['typescript', 'tag-' || n % 50], 'free', '', '', '', moment, moment
    from generate_series(1, ${posts}::integer) n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) at
  `.execute(db);
  await sql`vacuum analyze`.execute(db);
  return { siteId, key, authorization: { authorization: `Bearer ${key}` } };
}

/** Key that seals webhook secrets in all processes of a run. */
export const secretKey = 'a secret key for benchmarks only, 32+';

/** Subscribes `url` to the site's new content, as the owner would. Returns the subscription's id. */
export async function createSubscription(
  { database, clock, randomBytes }: StoreDeps,
  siteId: string,
  url: string,
): Promise<string> {
  const now = clock.now();
  const id = newRecordId(now, randomBytes);
  const secret_sealed = createSecretBox(secretKey, randomBytes).seal(webhookSecret, `${siteId}/${id}`);
  await sql`
    insert into webhook_subscriptions (site_id, id, url, events, by_key, secret_sealed, active, acknowledged_began, failed_began, created, updated)
    values (${siteId}, ${id}, ${url}, array['content.created'], false, ${secret_sealed}, true, 0, '{}', ${now}, ${now})
  `.execute(database.em.getKysely());
  return id;
}

/** Secret of every subscription, so that receivers can check each signature. */
export const webhookSecret = 'whsec_of_every_benchmark_subscription';
