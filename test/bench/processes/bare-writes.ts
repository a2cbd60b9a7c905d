import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { newRecordId } from '../../../shared/contract/record-id.ts';

/** Process that creates posts by only the statements of the write, over several connections. Reports its rate at the end. */
const { DATABASE_URL, SITE_ID, CONTENT = '', CONNECTIONS, SECONDS } = process.env;
const run = randomBytes(4).toString('hex');
let made = 0;

const postSql = `
  insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
  values ($1, $2, $3, $4, $5, '', 'public', false, $6, false, '{}', 'free', '', '', '', $6, $6)`;

const eventSql = `
  insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
  select $1, $2, 'content.created', $3, clock_timestamp(),
    exists (select from webhook_subscriptions where site_id = $1 and active and events && array['content.created', 'content.*', '*'])`;

async function write(client: pg.Client) {
  const now = new Date();
  const [postId, eventId] = [newRecordId(now, randomBytes), newRecordId(now, randomBytes)];
  const [title, slug] = [`Post ${run} ${made}`, `post-${run}-${postId}`];
  await client.query('begin');
  await client.query(postSql, [SITE_ID, postId, title, slug, CONTENT, now]);
  const data = { id: postId, collection: 'posts', title, slug };
  const body = JSON.stringify({ event: 'content.created', timestamp: now, data });
  await client.query(eventSql, [SITE_ID, eventId, body]);
  await client.query('commit');
  made += 1;
}

async function writer(endsAt: number) {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  while (performance.now() < endsAt) await write(client);
  await client.end();
}

const startedAt = performance.now();
const endsAt = startedAt + Number(SECONDS) * 1_000;
await Promise.all(Array.from({ length: Number(CONNECTIONS) }, () => writer(endsAt)));
process.send?.({ perSecond: (made * 1_000) / (performance.now() - startedAt) });
process.disconnect();
