import { sql } from 'kysely';
import type { z } from 'zod';
import type { AudienceCount, CountAudience } from '../../../shared/contract/features/mailing-audience.ts';
import { newsletter } from '../../../shared/contract/features/mailings.ts';
import type { Database } from '../../../shared/db/config.ts';
import { bodyFor, hasBought, isMeant, subscribersOf } from '../../../shared/newsletter/audience.ts';
import { found } from '../../kernel/api-error.ts';

interface Counted {
  /** By what they may read. */
  readers: { tiers: string[] | null; has_bought: boolean; recipients: number }[];
  by_source: { source: string; recipients: number }[];
}

/**
 * Who would get a post by mail at this moment, and which body of it. A search of the site, since it looks at every subscriber; what
 * each may read is asked once for all who hold the same. Throws `not_found`.
 */
export function countAudience(
  { database }: { database: Database },
  siteId: string,
  { post_id, audience }: z.output<typeof CountAudience>,
): Promise<z.infer<typeof AudienceCount>> {
  const db = database.em.getKysely();
  return database.shares.searches(siteId, async () => {
    const posts = db.selectFrom('posts').select(['id', 'access_tier']);
    const post = found(
      await posts.where('site_id', '=', siteId).where('id', '=', post_id).executeTakeFirst(),
    );
    const { rows } = await sql<Counted>`
      with counted as materialized (
        select s.source, m.access_tiers as tiers, ${hasBought(siteId, post_id, sql`s.email`)} as has_bought, count(*) as recipients
        from ${subscribersOf(siteId)} and ${isMeant(audience)} group by 1, 2, 3
      )
      select (select coalesce(json_agg(r), '[]') from (
          select tiers, has_bought, sum(recipients) as recipients from counted group by 1, 2
        ) r) as readers,
        (select coalesce(json_agg(r), '[]') from (
          select source, sum(recipients) as recipients from counted group by 1 order by 2 desc, 1 limit ${newsletter.mostGroups}
        ) r) as by_source`.execute(db);
    const { readers, by_source } = found(rows[0]);
    const recipients = sumOf(readers);
    const open = sumOf(readers.filter((reader) => bodyFor(post, reader) === 'open'));
    return { recipients, open, closed: recipients - open, by_source, by_tier: byTier(readers) };
  });
}

const sumOf = (counts: readonly { recipients: number }[]) =>
  counts.reduce((sum, { recipients }) => sum + recipients, 0);

/** Who holds several tiers counts in each, and who is a member at all as `registered`. */
function byTier(readers: Counted['readers']) {
  const counts = new Map<string, number>();
  for (const { tiers, recipients } of readers)
    for (const tier of tiers ? new Set(['registered', ...tiers]) : [])
      counts.set(tier, (counts.get(tier) ?? 0) + recipients);
  return [...counts].map(([tier, recipients]) => ({ tier, recipients }));
}
