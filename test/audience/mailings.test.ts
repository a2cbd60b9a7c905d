import { afterAll, expect, test } from 'vitest';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { connectAssistant } from '../support/assistant.ts';
import { repeatText } from '../support/attacks/attacker.ts';
import { failure } from '../support/http.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { createMailingStates, noRecipients, sending } from '../support/mailing-states.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Procedures for mailings: owners and programs create, schedule, pause and cancel them.
// test/flows/mailings.test.ts tests sending.

const app = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
afterAll(() => app[Symbol.asyncDispose]());
const { ownSite, stateOf } = createMailingStates(app);

const scopes = ['read:newsletter', 'write:newsletter', 'send:newsletter'] as const;
const key = await app.seed.key({ scopes: [...scopes] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId));

const write = async (post: Partial<Parameters<typeof studio.posts.create.mutate>[0]> = {}) =>
  (await studio.posts.create.mutate({ title: 'Why types pay', content: 'The *secret*.', ...post })).id;
const create = (body: object) => app.post('/api/v2/mailings', { key, body });
const get = async (id: string) => (await app.get(`/api/v2/mailings/${id}`, { key })).body;
const step = (id: string, name: string) => app.post(`/api/v2/mailings/${id}/${name}`, { key });

test('a key with the send scope can send a post, and a key with the read scope can read the mailing', async () => {
  const post_id = await write();
  const { status, body } = await create({
    post_id,
    preheader: 'Mind them',
    audience: { sources: ['footer'] },
  });
  expect([status, body]).toEqual([201, { id: expect.any(String), created: expect.any(String) }]);
  const { id, created } = body as { id: string; created: string };
  const mailing = {
    id,
    post_id,
    subject: 'Why types pay',
    preheader: 'Mind them',
    audience: { sources: ['footer'] },
    on_unknown: 'repeat',
    status: 'scheduled',
    pause_reason: null,
    send_at: expect.any(String),
    frozen_at: null,
    ended_at: null,
    recipients: 0,
    expected: 0,
    counts: noRecipients,
    created,
    updated: created,
  };
  expect(await get(id)).toEqual(mailing);
  expect(await app.get('/api/v2/mailings', { key })).toMatchObject({
    status: 200,
    body: { items: [mailing], page: 1, per_page: 50, total: 1 },
  });
  app.clock.advance({ ms: 1 });
  const other = (await studio.mailings.create.mutate({ post_id: await write({ title: 'B' }), subject: 'C' }))
    .id;
  expect((await studio.mailings.list.query()).items.map(({ subject }) => subject)).toEqual([
    'C',
    'Why types pay',
  ]);
  expect((await studio.mailings.list.query({ post_id })).items.map((one) => one.id)).toEqual([id]);
  await stateOf(other, `status = 'cancelled'`);
  expect(
    (await studio.mailings.list.query({ status: ['cancelled', 'sent'] })).items.map((one) => one.id),
  ).toEqual([other]);
});

test('the longest title is used as subject, although a given subject must be shorter', async () => {
  const { siteId, studio: own } = await ownSite();
  const title = repeatText('中', 500);
  const { id: post_id } = await own.posts.create.mutate({ title, content: 'Hello' });
  const { id } = await own.mailings.create.mutate({ post_id });
  expect(await own.mailings.list.query()).toMatchObject({ items: [{ id, subject: title }] });
  const programs = await app.seed.key({ siteId, scopes: ['read:newsletter'] });
  expect(await app.get(`/api/v2/mailings/${id}`, { key: programs })).toMatchObject({
    body: { subject: title },
  });
});

test('only a post that is public at the time of sending can be mailed', async () => {
  const send_at = '2100-01-01T00:00:00Z';
  const draft = await write({ is_draft: true });
  const refused = failure(400, 'validation_failed', expect.stringContaining('post_id: '));
  for (const post_id of [
    draft,
    await write({ visibility: 'private' }),
    await write({ visibility: 'unlisted' }),
  ])
    for (const at of [{}, { send_at }]) expect(await create({ post_id, ...at })).toMatchObject(refused);
  await studio.posts.schedule.mutate({ id: draft, publish_at: new Date('2100-01-01T00:00:01Z') });
  expect(await create({ post_id: draft, send_at })).toMatchObject(refused);
  await studio.posts.schedule.mutate({ id: draft, publish_at: new Date(send_at) });
  expect(await create({ post_id: draft })).toMatchObject(refused);
  const { status, body } = await create({ post_id: draft, send_at });
  expect(status).toBe(201);
  const { id } = body as { id: string };
  // The post is still a draft, so programs must not see its title.
  expect(await get(id)).toMatchObject({ subject: '' });
  expect(await studio.mailings.get.query({ id })).toMatchObject({ subject: 'Why types pay' });
  expect(await create({ post_id: newRecordId(new Date(), () => new Uint8Array(16)) })).toMatchObject(
    failure(404, 'not_found'),
  );
});

test('a post is mailed once, except with `again` or after its mailing was cancelled before any email was sent', async () => {
  const post_id = await write();
  const first = ((await create({ post_id })).body as { id: string }).id;
  expect(await create({ post_id })).toMatchObject(failure(409, 'already_mailed'));
  expect((await create({ post_id, again: true })).status).toBe(201);
  const other = await write();
  const mailed = ((await create({ post_id: other })).body as { id: string }).id;
  for (const state of ['accepted', 'unknown', 'sending', 'bounced', 'complained']) {
    await stateOf(mailed, `status = 'cancelled', recipients = 1, ${state} = 1`);
    expect(await create({ post_id: other })).toMatchObject(failure(409, 'already_mailed'));
    await stateOf(mailed, `recipients = 0, ${state} = 0`);
  }
  await stateOf(mailed, `recipients = 2, skipped = 1, refused = 1`);
  expect((await create({ post_id: other })).status).toBe(201);
  expect(first).not.toBe(mailed);
});

test('of concurrent mailings of one post only one is created', async () => {
  const post_id = await write();
  const answers = await Promise.all([1, 2, 3].map(() => create({ post_id })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

test('the plan limits recipients per month, including recipients of scheduled mailings', async () => {
  const { siteId, studio: own, post_id } = await ownSite('creator');
  await app.subscribe(['a@example.com', 'b@example.com', 'c@example.com'], siteId);
  const { id } = await own.mailings.create.mutate({ post_id, again: true });
  expect(await own.mailings.get.query({ id })).toMatchObject({ expected: 3 });
  const used = (recipients: number) =>
    stateOf(id, `${sending}, recipients = ${recipients}, accepted = ${recipients - 1}, skipped = 1`);
  await used(9_999);
  const limited = { code: 'newsletter_limit' };
  expect(await refusal(own.mailings.create.mutate({ post_id, again: true }))).toMatchObject(limited);
  const audience = { sources: ['nowhere'] };
  await own.mailings.create.mutate({ post_id, again: true, audience });
  await used(9_998);
  await own.mailings.create.mutate({ post_id, again: true });
  expect(await refusal(own.mailings.create.mutate({ post_id, again: true }))).toMatchObject(limited);
  const send_at = new Date('2100-01-31T23:59:59Z');
  await own.mailings.create.mutate({ post_id, again: true, send_at });
  const free = await ownSite('free');
  await app.subscribe(['a@example.com'], free.siteId);
  expect(await refusal(free.studio.mailings.create.mutate({ post_id: free.post_id }))).toMatchObject(limited);
});

test('another site cannot read or change the mailing', async () => {
  const { id } = await studio.mailings.create.mutate({ post_id: await write() });
  const other = await app.seed.site({ subdomain: 'stranger' });
  const theirs = await app.seed.key({ siteId: other, scopes: [...scopes] });
  for (const path of ['', '/recipients'])
    expect(await app.get(`/api/v2/mailings/${id}${path}`, { key: theirs })).toMatchObject(
      failure(404, 'not_found'),
    );
  for (const name of ['pause', 'resume', 'cancel', 'retry'])
    expect(await app.post(`/api/v2/mailings/${id}/${name}`, { key: theirs })).toMatchObject(
      failure(404, 'not_found'),
    );
  expect((await step(id, 'cancel')).status).toBe(200);
});

test('creating and canceling a mailing with an API key is noted in the audit log', async () => {
  const { body } = await create({ post_id: await write() });
  const { id } = body as { id: string };
  app.clock.advance({ ms: 1 });
  expect((await step(id, 'cancel')).body).toEqual({ status: 'updated' });
  expect(await step(id, 'cancel')).toMatchObject(failure(409, 'mailing_state', expect.any(String)));
  const { items } = await studio.audit.list.query({ record_id: id });
  expect(items.map(({ action, actor }) => [action, actor.kind])).toEqual([
    ['v2.mailings.cancel', 'key'],
    ['v2.mailings.create', 'key'],
  ]);
});

test('without a mail server neither mailings nor test emails are sent', async () => {
  await using bare = await startMailingSite();
  const { studio: own } = ownerClient(bare.baseUrl, await bare.seed.ownerToken(bare.siteId));
  const { id: post_id } = await own.posts.create.mutate({ title: 'News', content: 'Hello' });
  const programKey = await bare.seed.key({ scopes: [...scopes] });
  const refused = failure(503, 'mail_not_configured');
  expect(await bare.post('/api/v2/mailings', { key: programKey, body: { post_id } })).toMatchObject(refused);
  const body = { post_id, to: ['ada@example.com'] };
  expect(await bare.post('/api/v2/mailings/test', { key: programKey, body })).toMatchObject(refused);
});

test('an assistant needs its own scope to send mailings: scopes for all content do not include it', async () => {
  const offered = async (assistantScopes: Scope[]) => {
    await using assistant = await connectAssistant(app, await app.seed.key({ scopes: assistantScopes }));
    return (await assistant.toolNames()).filter((name) => name.includes('mailing'));
  };
  expect(await offered(['mcp:read', 'mcp:write', 'send:newsletter', 'read:newsletter'])).toEqual([]);
  expect((await offered(['mcp:newsletter:read'])).sort()).toEqual([
    'get_mailing',
    'list_mailings',
    'preview_mailing',
  ]);
  expect(await offered(['mcp:newsletter:send'])).toEqual(['create_mailing']);
});
