import { expect, test } from 'vitest';
import { proceduresOf } from '../../server/api/procedures.ts';
import { assistantsRouter, restRouter } from '../../server/api/router/app-router.ts';
import { retentionDays } from '../../shared/contract/limits.ts';
import { prune } from '../../worker/jobs/prune.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

/** Writes without an audit entry, with the reason. */
const unaudited: readonly { names: RegExp; reason: string }[] = [
  { names: /^v1\.\w+\.(create|update|delete)$/, reason: 'content remembers who wrote it' },
  {
    names:
      /^studio\.(posts|projects|courses|talks|experience|education|skills|certifications|pages|modules|lessons)\.(create|update|delete|restore|schedule|reorder)$/,
    reason: 'content remembers who wrote it',
  },
  { names: /^studio\.trash\.restore$/, reason: 'the restored record remembers it' },
  { names: /^v2\.mailings\.feedback$/, reason: 'it tells what became of copies, which show it' },
  { names: /^uploads\./, reason: 'what was uploaded is listed with its moment' },
  { names: /^site\./, reason: 'visitors and members do it to what is their own' },
];

const writes = [...proceduresOf(restRouter).values(), ...proceduresOf(assistantsRouter).values()].filter(
  ({ isWrite }) => isWrite,
);

test.for(writes)(
  '$name writes an audit entry, or is in the list of exceptions with a reason',
  (procedure) => {
    const excuses = unaudited.filter(({ names }) => names.test(procedure.name));
    expect(procedure.isAudited).toBe(excuses.length === 0);
  },
);

const hooks = { webhooks: { lookup: async () => ['93.184.215.14'], timeoutMs: 50 } };

/** Posts that are a millisecond apart, so that entries have a defined order. */
const bodies = (app: TestApp, token: string) => ({
  post: async (path: string, body?: unknown) => {
    app.clock.advance({ ms: 1 });
    return (await app.post(path, { key: token, ...(body === undefined ? {} : { body }) })).body as Record<
      string,
      string
    >;
  },
});

test('an entry has the actor, action, record and time, and the newest is first', async () => {
  await using app = await startApp(hooks);
  const login = await app.seed.owner();
  const session = await app.post('/api/admin/session', { body: login });
  const { token, owner } = session.body as { token: string; owner: { id: string } };
  const at: Date[] = [app.clock.now()];
  const later = () => {
    app.clock.advance({ hours: 1 });
    at.push(app.clock.now());
  };
  later();
  const created = await app.post('/api/admin/api-keys', {
    key: token,
    body: { name: 'CI', scopes: ['read'] },
  });
  const { id } = created.body as { id: string };
  later();
  await app.patch(`/api/admin/api-keys/${id}`, { key: token, body: { active: false, name: 'Off' } });
  later();
  await ownerClient(app.baseUrl, token).studio.site.update.mutate({ name: 'New name' });
  later();
  const key = await app.seed.key({ scopes: ['webhooks'] });
  const hook = { url: 'https://example.com/hook', events: ['*'] };
  const registered = await app.post('/api/v2/webhooks', { key, body: hook });

  const { items, total } = await ownerClient(app.baseUrl, token).studio.audit.list.query({});

  const actor = { kind: 'owner', id: owner.id, name: 'Olive Owner' };
  const ofKey = { kind: 'key', id: expect.any(String), name: 'test' };
  const entry = { id: expect.any(String), actor, changed: [], record_id: null };
  const hookId = (registered.body as { id: string }).id;
  expect(total).toBe(5);
  expect(items.toReversed()).toEqual([
    { ...entry, created: at[0], action: 'admin.session.create' },
    { ...entry, created: at[1], action: 'admin.apiKeys.create', record_id: id },
    { ...entry, created: at[2], action: 'admin.apiKeys.update', record_id: id, changed: ['name', 'active'] },
    { ...entry, created: at[3], action: 'studio.site.update', changed: ['name'] },
    { ...entry, created: at[4], action: 'v2.webhooks.create', record_id: hookId, actor: ofKey },
  ]);
});

test('an owner can filter entries by action, actor, record and time', async () => {
  await using app = await startApp(hooks);
  const token = await app.seed.ownerToken();
  const { post } = bodies(app, token);
  const { id = '' } = await post('/api/admin/api-keys', { name: 'One', scopes: ['read'] });
  app.clock.advance({ hours: 1 });
  const noon = app.clock.now();
  await post(`/api/admin/api-keys/${id}/rotate`);
  const other = await app.seed.ownerToken();
  const { id: second = '' } = await bodies(app, other).post('/api/admin/api-keys', {
    name: 'Two',
    scopes: ['read'],
  });
  const { list } = ownerClient(app.baseUrl, token).studio.audit;
  const found = async (filter: Parameters<typeof list.query>[0]) =>
    (await list.query(filter)).items.map(({ action, record_id }) => [action.split('.').at(-1), record_id]);

  expect(await found({ action: ['admin.apiKeys.create'] })).toEqual([
    ['create', second],
    ['create', id],
  ]);
  expect(await found({ record_id: id })).toEqual([
    ['rotate', id],
    ['create', id],
  ]);
  expect(await found({ created_before: noon })).toEqual([['create', id]]);
  expect(await found({ created_from: noon, record_id: id })).toEqual([['rotate', id]]);
  const [latest] = (await list.query({ record_id: second })).items;
  expect(await found({ actor_id: latest?.actor.id ?? '' })).toEqual([['create', second]]);
  expect(await list.query({ page: 2, per_page: 2 })).toMatchObject({ page: 2, per_page: 2, total: 3 });
});

test('a filter with a malformed id is invalid_request', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const filters = [
    () => studio.audit.list.query({ record_id: 'none' }),
    () => studio.mailings.list.query({ post_id: 'none' }),
  ];
  for (const request of filters) expect(await refusal(request())).toMatchObject({ code: 'invalid_request' });
});

test('a change is rolled back if its entry cannot be written, and a refused call writes no entry', async () => {
  await using app = await startApp(hooks);
  const token = await app.seed.ownerToken();
  const { post } = bodies(app, token);
  const { id = '' } = await post('/api/admin/api-keys', { name: 'Kept', scopes: ['read'] });
  const { list } = ownerClient(app.baseUrl, token).studio.audit;
  const missing = await app.delete('/api/admin/api-keys/abcdefghijklmno', { key: token });
  const wrong = await app.patch(`/api/admin/api-keys/${id}`, { key: token, body: { scopes: ['none'] } });
  expect([missing.status, wrong.status]).toEqual([404, 400]);
  expect((await list.query({})).total).toBe(1);

  await app.deps.database.em.execute('alter table audit_log rename to elsewhere');
  const failed = await app.delete(`/api/admin/api-keys/${id}`, { key: token });
  await app.deps.database.em.execute('alter table elsewhere rename to audit_log');

  expect(failed.status).toBe(500);
  expect((await app.get('/api/admin/api-keys', { key: token })).body).toMatchObject({ data: [{ id }] });
});

test('the audit log contains no secret', async () => {
  await using app = await startApp(hooks);
  const login = await app.seed.owner();
  const session = await app.post('/api/admin/session', { body: login });
  const { token } = session.body as { token: string };
  const { post } = bodies(app, token);
  const made = await post('/api/admin/api-keys', { name: 'CI', scopes: ['read'] });
  const rotated = await post(`/api/admin/api-keys/${made.id}/rotate`);
  const secret = 'a secret that the owner chose';
  const hook = await post('/api/admin/webhooks', {
    url: 'https://example.com/hook/s3cr3t-path',
    events: ['content.created'],
    secret,
  });
  const next = await post(`/api/admin/webhooks/${hook.id}/rotate-secret`);
  await app.patch(`/api/admin/webhooks/${hook.id}`, {
    key: token,
    body: { url: 'https://example.com/s3cr3t-path' },
  });

  const rows = JSON.stringify(await app.deps.database.em.execute('select * from audit_log'));

  expect(rows.match(/"action"/g)).toHaveLength(6);
  const secrets = [
    token,
    made.key,
    rotated.key,
    secret,
    next.secret,
    login.password,
    login.email,
    's3cr3t-path',
  ];
  expect(secrets.filter((value) => value === undefined || rows.includes(value))).toEqual([]);
});

test('audit entries are deleted after a year', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  await bodies(app, token).post('/api/admin/api-keys', { name: 'Old', scopes: ['read'] });
  const made = app.clock.now().getTime();
  const after = (days: number) => new Date(made + days * 86_400_000);
  await prune(app.deps.database, after(retentionDays.audit));
  const totals = [(await app.deps.database.em.execute('select from audit_log')).length];
  await prune(app.deps.database, after(retentionDays.audit + 0.01));
  totals.push((await app.deps.database.em.execute('select from audit_log')).length);
  expect(totals).toEqual([1, 0]);
});
