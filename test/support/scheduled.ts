import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { columnsOf } from '../../shared/db/entities/content.ts';

interface ScheduledPosts {
  siteId: string;
  /** A draft of the site that all of them are copies of. */
  like: string;
  count: number;
  publish_at: Date;
}

/** Adds drafts that are due at one moment. */
export async function addScheduledPosts(
  { em }: Database,
  { siteId, like, count, publish_at }: ScheduledPosts,
): Promise<void> {
  const columns = sql.join(columnsOf('posts').map((name) => sql.ref(`r.${name}`)));
  const names = sql.join(columnsOf('posts').map((name) => sql.ref(name)));
  await sql`
    insert into posts (${names}) select ${columns}
    from posts p, generate_series(1, ${count}::integer) as number, jsonb_populate_record(p, jsonb_build_object(
      'id', left(p.id, 9) || lpad(number::text, 6, '0'), 'slug', p.id || '-' || number, 'publish_at', ${publish_at}::timestamptz)) as r
    where p.site_id = ${siteId} and p.id = ${like}`.execute(em.getKysely());
}
