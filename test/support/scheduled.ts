import { sql } from 'kysely';
import { publishDue } from '../../shared/content/schedule.ts';
import type { scheduledCollections } from '../../shared/contract/resources/index.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import type { Database } from '../../shared/db/config.ts';
import { columnsOf } from '../../shared/db/entities/content.ts';
import { startApp } from './app.ts';
import { ownerClient } from './rpc.ts';

interface ScheduledPosts {
  siteId: string;
  /** ID of the site's draft to copy. */
  like: string;
  count: number;
  publish_at: Date;
}

/** Adds drafts that are due at the same time. */
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

type Values = Record<string, unknown>;

export type ScheduledCollection = (typeof scheduledCollections)[number];

/** Scheduled publication time of the drafts. */
export const timestamp = new Date('2099-03-01T08:00:00.250Z');

/** Starts an app with a site whose owner schedules drafts, and returns functions that read the results. */
export async function startSchedules() {
  const app = await startApp();
  const { database } = app.deps;
  const siteId = await app.seed.ownSite();
  const login = await app.seed.owner();
  const session = await app.post('/api/admin/session', { body: login });
  const { token, owner } = session.body as { token: string; owner: { id: string; name: string } };
  const { studio } = ownerClient(app.baseUrl, token);
  return {
    app,
    database,
    siteId,
    token,
    owner,
    studio,
    key: await app.seed.key({ scopes: scopeNames }),
    addPost: async (values: Values = {}) =>
      (await studio.posts.create.mutate({ title: 'Later', is_draft: true, ...values })).id,
    schedule: (id: string, publish_at: Date | string | null = timestamp) =>
      studio.posts.schedule.mutate({ id, publish_at }),
    /** Publishes the due drafts of a collection as a worker does at the time `now`. */
    publishAt: (now: Date, collection: ScheduledCollection = 'posts', max = 100) =>
      database.em.fork().transactional((em) => publishDue(em, app.deps, { collection, max, now })),
    rowOf: async (collection: string, id: string) =>
      (
        await sql<Values>`select * from ${sql.table(collection)} where id = ${id}`.execute(
          database.em.getKysely(),
        )
      ).rows[0],
    eventsOf: async (id: string) =>
      (
        await sql<{ name: string; body: string; awaits_fan_out: boolean }>`
          select name, body, awaits_fan_out from events where body::json -> 'data' ->> 'id' = ${id} order by occurred_at`.execute(
          database.em.getKysely(),
        )
      ).rows,
    historyOf: async (collection: string, id: string) =>
      (
        await sql<Values>`
          select revision, actor, changed from record_revisions
          where site_id = ${siteId} and collection = ${collection} and record_id = ${id} order by revision`.execute(
          database.em.getKysely(),
        )
      ).rows,
  };
}
