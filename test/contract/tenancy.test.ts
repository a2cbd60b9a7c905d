import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { WebhookDelivery } from '../../shared/db/entities/webhooks.ts';
import { startApp } from '../support/app.ts';
import { type Call, calls } from '../support/calls.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';
import { firefox } from '../support/rpc.ts';

// DECISIONS 1: every row belongs to a site. Asked of every procedure, over REST and RPC: one that is added is covered.

const mail = await startMailServer();
const app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] }, smtpUrl: mail.url });
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await mail.close();
});

const theirSite = await app.seed.site({ subdomain: 'theirs' });
const host = 'theirs.localhost';
const ourSite = await app.seed.site();
const ourKey = await app.seed.key({ siteId: ourSite, scopes: scopeNames });
const ourToken = await app.seed.ownerToken(ourSite);

const reads = calls.filter(({ writes, access }) => !writes && access !== 'public');
const writes = calls.filter(({ writes, access }) => writes && access !== 'public');

/** What our credentials read while the other site is empty. */
const beforehand = new Map<Call, unknown>();

beforeAll(async () => {
  for (const call of reads) beforehand.set(call, await call.send(app, call.example, credential(call)));
  await fillTheirSite();
});

test('every table has rows of the other site to find', async () => {
  const empty = Object.entries(await theirRows()).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([table]) => table)).toEqual([]);
});

test.for(reads)("$title shows nothing of another site's rows, nor counts them", async (call) => {
  for (const input of await inputsThatNameTheirs(call)) {
    expect([input, await call.send(app, input, credential(call))]).toEqual([input, beforehand.get(call)]);
  }
});

test.for(writes)("$title changes and deletes nothing of another site's", async (call) => {
  const before = await theirRows();
  // A call may end the session it is made with.
  const key = call.access === 'owner' ? await app.seed.ownerToken(ourSite) : ourKey;
  for (const input of await inputsThatNameTheirs(call)) {
    const { status, body } = await call.send(app, input, key);
    if ('id' in input || 'ids' in input) expect([status, codeOf(body)]).toEqual([404, 'not_found']);
    else expect(status).not.toBe(401);
  }
  expect(await theirRows()).toEqual(before);
});

test('two sites may use the same slug, and each reads its own record under it', async () => {
  const theirKey = await app.seed.key({ siteId: theirSite });
  for (const [key, title] of [
    [ourKey, 'Ours'],
    [theirKey, 'Theirs'],
  ] as const) {
    expect(await app.post('/api/v1/posts', { key, body: { title, slug: 'the-same' } })).toMatchObject({
      status: 201,
    });
  }
  expect(await app.get('/api/v1/posts/the-same', { key: ourKey })).toMatchObject({ body: { title: 'Ours' } });
  expect(await app.get('/api/v1/posts/the-same', { key: theirKey })).toMatchObject({
    body: { title: 'Theirs' },
  });
});

test("a cursor of another site's list shows nothing of that site", async () => {
  const theirKey = await app.seed.key({ siteId: theirSite });
  await app.post('/api/v1/courses', { key: theirKey, body: { title: 'A second course' } });
  const page = await app.get('/api/v1/courses?limit=1', { key: theirKey });
  const { next_cursor } = page.body as { next_cursor: string };
  expect(next_cursor).toEqual(expect.any(String));
  const ours = await app.get(`/api/v1/courses?cursor=${next_cursor}`, { key: ourKey });
  const titles = (ours.body as { data: { title: string }[] }).data.map(({ title }) => title);
  expect(titles).not.toContain('A second course');
});

const credential = ({ access }: Pick<Call, 'access'>) => (access === 'owner' ? ourToken : ourKey);

/** The code of a failure, over REST or over RPC. */
const codeOf = (body: unknown) => {
  const { error } = body as { error: { code?: string; json?: { data: { code: string } } } };
  return error.json?.data.code ?? error.code;
};

/** Makes one record of everything that can be made, by the examples of the contracts. */
async function fillTheirSite() {
  const key = await app.seed.key({ siteId: theirSite, scopes: scopeNames });
  const token = await app.seed.ownerToken(theirSite);
  const makers = calls.filter(
    ({ title, access }) => /^RPC .*\.(create|record)$/.test(title) && access !== 'public',
  );
  for (const call of makers) {
    const example = await pointingAtTheirs(call.example);
    const answer = await call.send(app, example, call.access === 'owner' ? token : key);
    // Studio makes the same records as v1, whose slugs are taken by then.
    if ('slug' in example && answer.status === 400)
      expect([call.title, JSON.stringify(answer.body)]).toEqual([
        call.title,
        expect.stringContaining('slug'),
      ]);
    else expect([call.title, answer]).toEqual([call.title, expect.objectContaining({ status: 200 })]);
  }
  const [post] = (await theirRows()).posts ?? [];
  await app.patch(`/api/v1/posts/${post?.id}`, { key, body: { title: 'Changed, so published' } });
  await insertDelivery();
  await fillTheirAudience();
}

/** What visitors of the other site leave there, and its views of a finished day. */
async function fillTheirAudience() {
  await signInByMail(app, mail, { email: 'member@example.com', host });
  const inputs = calls.filter(
    ({ access, name }) => access === 'public' && /(subscribe|submit|requestCode|track)$/.test(name),
  );
  for (const { name, example } of inputs) {
    const headers = { host, 'user-agent': firefox };
    const answer = await app.post(`/trpc/${name}`, { headers, body: { json: example } });
    expect([name, answer]).toEqual([name, expect.objectContaining({ status: 200 })]);
  }
  await app.deps.database.em.execute(
    `insert into page_view_days (site_id, day, dimension, label, views, visitors) values (?, '2026-01-30', 'total', '', 5, 3)`,
    [theirSite],
  );
}

/** The example, with an id of the other site in place of each reference. */
async function pointingAtTheirs(example: Record<string, unknown>) {
  const rows = await theirRows();
  const tables: Record<string, string> = { course_id: 'courses', module_id: 'modules', content_id: 'posts' };
  const references = Object.entries(tables).filter(([field]) => field in example);
  return {
    ...example,
    ...Object.fromEntries(references.map(([field, table]) => [field, rows[table]?.[0]?.id])),
  };
}

async function insertDelivery() {
  const em = app.deps.database.em.fork();
  const now = app.clock.now();
  const row = { event: 'test', status: 'delivered', attempt_count: 1, created: now, updated: now };
  const [subscription] = (await theirRows()).webhook_subscriptions ?? [];
  const ids = { site_id: theirSite, id: 'd'.repeat(15), subscription_id: subscription?.id ?? '' };
  await em.persist(em.create(WebhookDelivery, { ...row, ...ids })).flush();
}

/** The example input, with each id and slug of the other site in turn where it takes one. */
async function inputsThatNameTheirs({ example }: Call) {
  const rows = Object.values(await theirRows()).flat();
  const named = Object.keys(example).filter((field) => /^(id|ids|.*_id|slug)$/.test(field));
  if (named.length === 0) return [example];
  const theirs = (field: string, { id = theirSite, slug = 'none' }: Row) =>
    ({ slug, ids: [id] })[field] ?? id;
  return rows.map((row) => ({
    ...example,
    ...Object.fromEntries(named.map((field) => [field, theirs(field, row)])),
  }));
}

type Row = { id?: string; slug?: string };

/** All rows of the other site, by table. */
async function theirRows(): Promise<Record<string, Row[]>> {
  const db = app.deps.database.em.getKysely();
  const tables = await sql<{ table_name: string }>`
    select table_name from information_schema.columns where table_schema = 'public' and column_name = 'site_id'`.execute(
    db,
  );
  const rows = tables.rows.map(async ({ table_name }) => {
    const own = await sql<{ row: Row }>`
      select to_jsonb(t) as row from ${sql.table(table_name)} t where site_id = ${theirSite} order by to_jsonb(t)::text`.execute(
      db,
    );
    return [table_name, own.rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}
