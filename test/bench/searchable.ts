import { sql } from 'kysely';
import type { openOperator } from './site.ts';

type Operator = Awaited<ReturnType<typeof openOperator>>;

/**
 * Words of the bodies, by the number of posts that contain them: all, one in 1,000, and few or many as in natural
 * language.
 */
export const words = { everywhere: 'everywhere', rare: 'rare', frequent: 'w7', infrequent: 'w7001' };

/** Adds public posts of 2 KB to a site, with word frequencies as in natural language. */
export async function addSearchable({ database }: Operator, siteId: string, posts: number) {
  const db = database.em.getKysely();
  await sql`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    select ${siteId}, lpad(n::text, 15, '0'), 'Post ' || n, 'post-' || n,
      (select ${words.everywhere} || case when n % 1000 = 0 then ${` ${words.rare} `} else ' ' end
        || string_agg('w' || floor(exp(random() * ln(20000)))::integer || case when (n + k) % 10 = 0 then 'ish' else '' end, ' ')
        from generate_series(1, 380) k),
      'What post ' || n || ' is about', 'public', false, moment, false, array['typescript', 'tag-' || n % 50], 'free', '', '', '', moment, moment
    from generate_series(1, ${posts}::integer) n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) at
  `.execute(db);
}
