import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { columnsOf } from '../../shared/db/entities/content.ts';

interface ScheduledPosts {
  siteId: string;
  /** A draft of the site that all of them are copies of. */
  like: string;
  count: number;
  /** From now, by the database's clock. */
  inMs: number;
}

/** Adds drafts that are due at one moment, which it gives; their ids and slugs begin with `like`. */
export async function addScheduledPosts(
  { em }: Database,
  { siteId, like, count, inMs }: ScheduledPosts,
): Promise<Date> {
  const columns = sql.join(columnsOf('posts').map((name) => sql.ref(`r.${name}`)));
  const names = sql.join(columnsOf('posts').map((name) => sql.ref(name)));
  const { rows } = await sql<{ publish_at: Date }>`
    with moment as (select (now() + ${inMs} * interval '1 millisecond')::timestamptz(3) as at),
    added as (
      insert into posts (${names}) select ${columns}
      from moment, posts p, generate_series(1, ${count}) as number, jsonb_populate_record(p, jsonb_build_object(
        'id', left(p.id, 9) || lpad(number::text, 6, '0'), 'slug', p.id || '-' || number, 'publish_at', moment.at)) as r
      where p.site_id = ${siteId} and p.id = ${like}
      returning id
    )
    select at as publish_at from moment, (select count(*) from added) as done`.execute(em.getKysely());
  const [row] = rows;
  if (!row) throw new Error('no moment');
  return row.publish_at;
}
