import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { prune } from '../../worker/jobs/prune.ts';
import { startApp } from '../support/app.ts';
import { sendMessage, toolCall } from '../support/assistant.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';
import { sendRaw } from '../support/raw-http.ts';
import { isReplay, repeating } from '../support/repeated-writes.ts';

// A write with an Idempotency-Key is done once. idempotency-of-each.test.ts checks this for every write.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const token = await app.seed.ownerToken();
const posts = '/api/v1/posts';
const reused = failure(422, 'idempotency_key_reused');
const { under, titled, query } = repeating(app, key);

test('of 200 concurrent requests with one idempotency key over REST one is done, and all get its response', async () => {
  const request = under(randomUUID(), { title: 'Twins over REST' });
  const answers = await Promise.all(Array.from({ length: 200 }, () => app.post(posts, request)));
  const [first] = answers;
  expect(first).toMatchObject({ status: 201, body: { id: anyId } });
  expect(answers).toEqual(answers.map(() => first));
  expect(answers.filter((answer) => isReplay(answer) === null)).toHaveLength(1);
  expect(answers.filter((answer) => isReplay(answer) === 'true')).toHaveLength(199);
  expect(await query(titled('Twins over REST'))).toHaveLength(1);
  expect(await query(`select id from events where body like '%Twins over REST%'`)).toHaveLength(1);
});

test('of 200 concurrent requests with one idempotency key over RPC one is done, and all get its response', async () => {
  const request = under(randomUUID(), { json: { title: 'Twins over RPC' } });
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => app.post('/trpc/v1.posts.create', request)),
  );
  const [first] = answers;
  expect(first).toMatchObject({ status: 200, body: { result: { data: { json: { id: anyId } } } } });
  expect(answers).toEqual(answers.map(() => first));
  expect(answers.filter((answer) => isReplay(answer) === 'true')).toHaveLength(199);
  expect(await query(titled('Twins over RPC'))).toHaveLength(1);
});

test('concurrent requests with one idempotency key on one site do not delay another site', async () => {
  const elsewhere = await app.seed.key({ siteId: await app.seed.site() });
  const request = under(randomUUID(), { title: 'Many' });
  const twins = Promise.all(Array.from({ length: 200 }, () => app.post(posts, request)));
  let over = false;
  twins.finally(() => {
    over = true;
  });
  expect(await app.post(posts, { key: elsewhere, body: { title: 'Alone' } })).toMatchObject({ status: 201 });
  expect(over).toBe(false);
  await twins;
});

test('an idempotency key that was used with another body, path or method is refused, and nothing is written', async () => {
  const used = randomUUID();
  const { body } = await app.post(posts, under(used, { title: 'First' }));
  const { id } = body as { id: string };
  const before = await query('select * from posts order by id');
  expect(await app.post(posts, under(used, { title: 'Other' }))).toEqual(reused);
  expect(await app.post(posts, under(used, '{"title": "First"}'))).toEqual(reused);
  expect(await app.post('/api/v1/projects', under(used, { title: 'First' }))).toEqual(reused);
  expect(await app.patch(`${posts}/${id}`, under(used, { title: 'First' }))).toEqual(reused);
  expect(await app.delete(`${posts}/${id}`, under(used))).toEqual(reused);
  expect(await app.post('/trpc/v1.posts.create', under(used, { json: { title: 'First' } }))).toMatchObject({
    status: 422,
    body: { error: { json: { data: { code: 'idempotency_key_reused' } } } },
  });
  expect(await query('select * from posts order by id')).toEqual(before);
});

test.for(['', 'a'.repeat(256), 'no\ttabs', 'ünprintable'])(
  '%j is not a valid idempotency key, and the write is refused',
  async (bad) => {
    const answer = await app.post(posts, under(bad, { title: 'Under no key' }));
    expect(answer).toEqual(
      failure(400, 'invalid_request', 'Idempotency-Key: must have 1 to 255 printable ASCII characters'),
    );
    expect(await query(titled('Under no key'))).toEqual([]);
  },
);

test.for(['a', ' x '.trim(), 'a'.repeat(255), '"quoted, with a comma"', '~!@#$%^&*()'])(
  '%j is a valid idempotency key',
  async (good) => {
    const request = under(good, { title: `Under ${good.length}` });
    const first = await app.post(posts, request);
    expect(first.status).toBe(201);
    expect(await app.post(posts, request)).toEqual(first);
  },
);

test('a write with two idempotency keys is refused over REST and RPC, and nothing is written', async () => {
  const before = await query('select * from posts order by id');
  const write = (name: string) =>
    `POST ${name} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const keys = 'Idempotency-Key: one\r\nidempotency-key: two\r\n';
  const sent = async (name: string, body: object) => {
    const text = JSON.stringify(body);
    const [reply] = await sendRaw(
      app.baseUrl,
      `${write(name)}${keys}Content-Length: ${text.length}\r\n\r\n${text}`,
    );
    return reply;
  };
  const message = 'Idempotency-Key: must not be sent more than once';
  expect(await sent(posts, { title: 'Twice' })).toMatchObject(failure(400, 'invalid_request', message));
  expect(await sent('/trpc/v1.posts.create', { json: { title: 'Twice' } })).toMatchObject({ status: 400 });
  expect(await query('select * from posts order by id')).toEqual(before);
});

test('a secret that is shown once is returned again to a repetition, and stored sealed', async () => {
  const request = under(randomUUID(), { name: 'Once', scopes: ['read'] }, token);
  const first = await app.post('/api/admin/api-keys', request);
  const { key: secret } = first.body as { key: string };
  expect(secret).toMatch(/^svc_live_/);
  expect(await app.post('/api/admin/api-keys', request)).toEqual(first);
  expect(JSON.stringify(await query('select * from idempotency_keys'))).not.toContain(secret.slice(9));
  const rotation = under(randomUUID(), undefined, token);
  const { id } = first.body as { id: string };
  const rotated = await app.post(`/api/admin/api-keys/${id}/rotate`, rotation);
  expect(await app.post(`/api/admin/api-keys/${id}/rotate`, rotation)).toEqual(rotated);
  const { key: rotatedSecret } = rotated.body as { key: string };
  expect(await app.get('/api/v1/profile', { key: rotatedSecret })).toMatchObject({ status: 200 });
});

test('a write that fails stores nothing, and its repetition runs again', async () => {
  await app.post(posts, { key, body: { title: 'Taken', slug: 'taken' } });
  const request = under(randomUUID(), { title: 'Wants it', slug: 'taken' });
  const taken = failure(400, 'validation_failed', 'slug: already in use');
  expect(await app.post(posts, request)).toEqual(taken);
  expect(await query(titled('Wants it'))).toEqual([]);
  expect(await app.post(posts, request)).toEqual(taken);
  await query(`delete from posts where slug = 'taken'`);
  const answer = await app.post(posts, request);
  expect(answer.status).toBe(201);
  expect(isReplay(answer)).toBe(null);
  expect(await app.post(posts, request)).toEqual(answer);
});

test('a write that fails at its commit stores nothing, and its repetition runs again', async () => {
  await using doomed = await startApp();
  const credential = await doomed.seed.key();
  await query(
    `create function doom() returns trigger language plpgsql as $$ begin raise 'doomed'; end $$;
     create constraint trigger doom after insert on posts deferrable initially deferred for each row execute function doom()`,
    doomed,
  );
  const request = under(randomUUID(), { title: 'Doomed' }, credential);
  expect(await doomed.post(posts, request)).toEqual(failure(500, 'internal_error'));
  await query('drop trigger doom on posts', doomed);
  expect(await doomed.post(posts, request)).toMatchObject({ status: 201 });
  expect(await query(titled('Doomed'), doomed)).toHaveLength(1);
});

test('an idempotency key expires after exactly 24 hours', async () => {
  await using later = await startApp();
  const credential = await later.seed.key();
  const request = under(randomUUID(), { title: 'Again' }, credential);
  const first = await later.post(posts, request);
  later.clock.advance({ hours: 23, minutes: 59, seconds: 59, ms: 999 });
  expect(await later.post(posts, request)).toEqual(first);
  later.clock.advance({ ms: 1 });
  const twins = await Promise.all(Array.from({ length: 8 }, () => later.post(posts, request)));
  const [second] = twins;
  expect(second).toMatchObject({ status: 201 });
  expect(second).not.toEqual(first);
  expect(twins).toEqual(twins.map(() => second));
  expect(await query(titled('Again'), later)).toHaveLength(2);
});

test('the worker deletes idempotency keys that are 24 hours old, and no newer ones', async () => {
  await using later = await startApp();
  const credential = await later.seed.key();
  await later.post(posts, under('old', { title: 'Old' }, credential));
  later.clock.advance({ hours: 1 });
  await later.post(posts, under('young', { title: 'Young' }, credential));
  const left = async () => {
    await prune(later.deps.database, later.clock.now());
    return query('select key from idempotency_keys order by key', later);
  };
  later.clock.advance({ hours: 22, minutes: 59, seconds: 59, ms: 999 });
  expect(await left()).toEqual([{ key: 'old' }, { key: 'young' }]);
  later.clock.advance({ ms: 1 });
  expect(await left()).toEqual([{ key: 'young' }]);
  later.clock.advance({ hours: 1 });
  expect(await left()).toEqual([]);
});

test('reads ignore the header Idempotency-Key, whatever its value', async () => {
  const before = await query('select key from idempotency_keys');
  const answer = await app.get(posts, { key, headers: { 'idempotency-key': 'ü' } });
  expect(answer.status).toBe(200);
  expect(isReplay(answer)).toBe(null);
  const rpc = await app.get('/trpc/v1.posts.list', { key, headers: { 'idempotency-key': '' } });
  expect(rpc.status).toBe(200);
  expect(await query('select key from idempotency_keys')).toEqual(before);
});

test('assistants have no idempotency keys: a tool that is called twice writes twice', async () => {
  const assistant = await app.seed.key({ scopes: ['mcp:posts:write'] });
  const message = toolCall('create_post', { title: 'By an assistant' });
  const options = { key: assistant, headers: { 'idempotency-key': 'same' } };
  for (let sent = 0; sent < 2; sent++)
    expect(await sendMessage(app, message, options)).toMatchObject({ status: 200 });
  expect(await query(titled('By an assistant'))).toHaveLength(2);
});

test('a batch of several writes with one idempotency key is refused as a whole', async () => {
  const batch = { 0: { json: { title: 'Batch' } }, 1: { json: { title: 'Batch' } } };
  const path = '/trpc/v1.posts.create,v1.projects.create?batch=1';
  expect(await app.post(path, under(randomUUID(), batch))).toMatchObject({
    status: 400,
    body: { error: { json: { data: { code: 'invalid_request' } } } },
  });
  expect(await query(titled('Batch'))).toEqual([]);
  const alone = under(randomUUID(), { 0: { json: { title: 'Alone in a batch' } } });
  const first = await app.post('/trpc/v1.posts.create?batch=1', alone);
  expect(first.status).toBe(200);
  const second = await app.post('/trpc/v1.posts.create?batch=1', alone);
  expect(second).toEqual(first);
  expect(isReplay(second)).toBe('true');
});

test('a write without an idempotency key stores no row of idempotency_keys', async () => {
  const before = await query('select key from idempotency_keys');
  await app.post(posts, { key, body: { title: 'Without' } });
  expect(await query('select key from idempotency_keys')).toEqual(before);
});
