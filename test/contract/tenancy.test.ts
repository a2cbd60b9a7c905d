import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { lazily } from '../../shared/runtime/single-flight.ts';
import { startApp } from '../support/app.ts';
import { type Call, calls } from '../support/calls.ts';
import { references } from '../support/every-call.ts';
import { codeOf } from '../support/http.ts';
import { createRowReader, type RowsByTable } from '../support/rows-of-site.ts';

// Every row belongs to one site. Checks every procedure, over REST and RPC; a new one is covered by its declaration.

const app = await startApp({
  smtpUrl: 'smtp://127.0.0.1:1',
  webhooks: { lookup: async () => ['93.184.215.14'] },
});

const theirHost = 'their.example.com';
const theirSite = await app.seed.site({ custom_domain: theirHost });
const theirs = await createRowReader(app, theirSite);
afterAll(async () => {
  await theirs[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const ourSite = await app.seed.site();
const ourKey = await app.seed.key({ siteId: ourSite, scopes: scopeNames });
let ourToken = await app.seed.ownerToken(ourSite);

const reads = calls.filter(({ writes, access }) => !writes && access !== 'public');
const writes = calls.filter(({ writes, access }) => writes && access !== 'public');

/** Responses to our credentials while the other site is empty. */
const beforehand = new Map<Call, unknown>();

beforeAll(async () => {
  for (const call of reads) beforehand.set(call, await call.send(app, call.example, credential(call)));
  await fillTheirSite();
});

test('these tests have rows of the other site in every table', async () => {
  const empty = Object.entries(await theirs.all()).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([table]) => table)).toEqual([]);
});

test.for(reads)('$title neither shows nor counts rows of another site', async (call) => {
  const inputs = await inputsThatNameTheirs(call);
  const answers = inputs.map((input) => call.send(app, input, credential(call)));
  expect(await Promise.all(answers)).toEqual(inputs.map(() => beforehand.get(call)));
});

/** Rows of the other site when they were last read. Between two tests, only the tested calls run. */
let lastRows: RowsByTable | undefined;

test.for(writes)('$title changes and deletes nothing of another site', async (call) => {
  const before = lastRows ?? (await theirs.all());
  const key = call.access === 'owner' ? await liveToken() : ourKey;
  const inputs = await inputsThatNameTheirs(call);
  const answers = await Promise.all(inputs.map((input) => call.send(app, input, key)));
  if ('id' in call.example) {
    const codes = answers.map(({ status, body }) => [status, codeOf(body)]);
    expect(codes).toEqual(inputs.map(() => [404, 'not_found']));
  }
  expect(answers.filter(({ status }) => status === 401)).toEqual([]);
  lastRows = await theirs.all();
  expect(lastRows).toEqual(before);
});

test('two sites may use the same slug, and each reads its own record', async () => {
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

/** A token of an active session: a previous call may have ended the session. */
async function liveToken(): Promise<string> {
  const { status } = await app.get('/api/admin/session', { key: ourToken });
  if (status !== 200) ourToken = await app.seed.ownerToken(ourSite);
  return ourToken;
}

/**
 * Creates a record with every contract that can create one, from its example, and a row in every table that is still empty.
 */
async function fillTheirSite() {
  const key = await app.seed.key({ siteId: theirSite, scopes: scopeNames });
  const token = await app.seed.ownerToken(theirSite);
  const makers = calls.filter(
    // The URLs of a checkout have to be those of its site.
    ({ title, name, access }) =>
      /^RPC .*\.(create|record)$/.test(title) && access !== 'public' && name !== 'v2.checkouts.create',
  );
  for (const call of makers) {
    const { slug: _, ...example } = call.example;
    const input = { ...example, ...references(example, await theirs.all()) };
    const answer = await call.send(app, input, call.access === 'owner' ? token : key);
    expect([call.title, answer]).toEqual([call.title, expect.objectContaining({ status: 200 })]);
  }
  // Some of these calls need more than their example contains, and are refused.
  for (const { name } of calls.filter(({ access, writes }) => access === 'public' && writes))
    await visit(name);
  await trashWithParts(token);
  const { posts = [], ...tables } = await theirs.all();
  await app.patch(`/api/v1/posts/${posts[0]?.id}`, { key, body: { title: 'Changed, so published' } });
  for (const [table, rows] of Object.entries(tables)) if (rows.length === 0) await insertAnyRow(table);
}

/** Deletes a course that has a module. */
async function trashWithParts(key: string) {
  const studio = async (name: string, json: object) => {
    const { body } = await app.post(`/trpc/studio.${name}`, { key, body: { json } });
    return (body as { result: { data: { json: { id: string } } } }).result.data.json;
  };
  const { id } = await studio('courses.create', { title: 'Deleted' });
  await studio('modules.create', { course_id: id, title: 'Along with it' });
  await studio('courses.delete', { id });
}

/** Calls a public procedure as a visitor of the other site. */
const visit = (name: string) =>
  app.post(`/trpc/${name}`, {
    body: { json: calls.find((call) => call.name === name)?.example },
    headers: {
      host: theirHost,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    },
  });

/** Inserts a row into a table that only the worker or visitors fill. */
async function insertAnyRow(table: string) {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`.execute(
    app.deps.database.em.getKysely(),
  );
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
  await sql`
    insert into ${sql.table(table)} (${columns}) select ${columns} from jsonb_populate_record(null::${sql.table(table)}, (
      select jsonb_object_agg(column_name, case
        when column_name = 'site_id' then to_jsonb(${theirSite}::text)
        -- Nine counters of a mailing add up to this one.
        when column_name = 'recipients' then to_jsonb(9)
        when data_type like 'timestamp%' or data_type = 'date' then to_jsonb(now())
        when data_type = 'boolean' then to_jsonb(true)
        when data_type = 'ARRAY' then '[]'
        when data_type like '%int%' or data_type = 'numeric' then to_jsonb(1)
        else to_jsonb(left(md5(column_name), 15)) end)
      from information_schema.columns where table_schema = 'public' and columns.table_name = ${table}
    )) as filled`.execute(app.deps.database.em.getKysely());
}

/**
 * Inputs of a call: its example, or if that has an id or slug, one input per row with the ids and slugs of the other site.
 */
async function inputsThatNameTheirs({ example }: Call) {
  const rows = await oneOfEach();
  const named = Object.keys(example).filter((field) => /^(id|ids|.*_id|slug)$/.test(field));
  if (named.length === 0) return [example];
  return rows.map((row) => {
    const id = row.id ?? theirSite;
    const values: Record<string, unknown> = { slug: row.slug ?? 'none', ids: [id] };
    return { ...example, ...Object.fromEntries(named.map((field) => [field, values[field] ?? id])) };
  });
}

/** One row of each table of the other site. These rows do not change: the test of a call that changes one fails. */
const oneOfEach = lazily(async () => {
  const ofTables = Object.values(await theirs.all()).flatMap((own) => own.slice(0, 1));
  // Many tables have neither an id nor a slug, so their inputs would be equal.
  return [...new Map(ofTables.map((row) => [`${row.id} ${row.slug}`, row])).values()];
});
