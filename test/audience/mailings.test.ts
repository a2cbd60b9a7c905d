import { afterAll, expect, test } from 'vitest';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { connectAssistant } from '../support/assistant.ts';
import { repeatText } from '../support/attacks/attacker.ts';
import { failure } from '../support/http.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { sentMailing } from '../support/sent-mailing.ts';

// Procedures for mailings: owners and programs create, schedule, pause and cancel them.
// test/flows/mailings.test.ts tests sending.

const app = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
afterAll(() => app[Symbol.asyncDispose]());

const scopes = ['read:newsletter', 'write:newsletter', 'send:newsletter'] as const;
const key = await app.seed.key({ scopes: [...scopes] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId));

const write = async (post: Partial<Parameters<typeof studio.posts.create.mutate>[0]> = {}) =>
  (await studio.posts.create.mutate({ title: 'Why types pay', content: 'The *secret*.', ...post })).id;
const create = (body: object) => app.post('/api/v2/mailings', { key, body });
const get = async (id: string) => (await app.get(`/api/v2/mailings/${id}`, { key })).body;
const step = (id: string, name: string) => app.post(`/api/v2/mailings/${id}/${name}`, { key });

/** Creates a site with an owner, so that counts of one test are independent of other tests. */
async function ownSite(plan: 'free' | 'creator' | 'pro' = 'pro') {
  const siteId = await app.seed.site({ plan, subdomain: `s${Math.random().toString(36).slice(2)}` });
  const { studio: own } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const post_id = (await own.posts.create.mutate({ title: 'News', content: 'Hello', excerpt: 'In short.' }))
    .id;
  return { siteId, studio: own, post_id };
}

const stateOf = async (id: string, set: string) => {
  await app.run(`update mailings set ${set} where id = ?`, [id]);
};

/** Adds recipients by state, and updates the counters of the mailing. */
async function addCopies(siteId: string, id: string, states: Record<string, number>) {
  for (const [state, copies] of Object.entries(states)) {
    const waits = ['queued', 'retrying', 'sending'].includes(state);
    await app.run(
      `insert into mailing_recipients (site_id, mailing_id, subscriber_id, id, email, state, attempts, doubts, due_at, lease_until)
       select ?, ?, substr(md5('${state}' || n), 1, 15), substr(md5(? || '${state}' || n), 1, 15), '${state}' || n || '@example.com',
         ?, 1, 0, case when ? then now() + interval '1 hour' end, case when ? then now() + interval '1 hour' end
       from generate_series(1, ?) n`,
      [siteId, id, id, state, waits, state === 'sending', copies],
    );
    await app.run(
      `update mailings set ${state} = ${copies}, recipients = recipients + ${copies} where id = ?`,
      [id],
    );
  }
}

const sending = `status = 'sending', frozen_at = now(), prepared_at = now()`;

const noRecipients = {
  queued: 0,
  sending: 0,
  retrying: 0,
  unknown: 0,
  accepted: 0,
  refused: 0,
  skipped: 0,
  bounced: 0,
  complained: 0,
};

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

test('each step is allowed only in its states, and refused in all others', async () => {
  const { siteId, studio: own, post_id } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  const frozen = 'frozen_at = now(), prepared_at = now()';
  const at: Record<string, string> = {
    scheduled: `status = 'scheduled', frozen_at = null, prepared_at = null`,
    preparing: `status = 'preparing', frozen_at = null, prepared_at = null`,
    sending: `status = 'sending', ${frozen}`,
    paused: `status = 'paused', ${frozen}`,
    sent: `status = 'sent', ${frozen}`,
    cancelled: `status = 'cancelled', ${frozen}`,
  };
  await addCopies(siteId, id, { queued: 1, accepted: 1 });
  const steps = { pause: own.mailings.pause, resume: own.mailings.resume, retry: own.mailings.retry };
  const taken: string[] = [];
  for (const [status, set] of Object.entries(at))
    for (const [name, { mutate }] of Object.entries(steps)) {
      await stateOf(id, `${set}, pause_reason = null`);
      const refused = await mutate({ id }).then(
        () => null,
        () => refusal(mutate({ id })),
      );
      if (refused) expect(await refused).toMatchObject({ code: 'mailing_state' });
      else taken.push(`${name} ${status} → ${(await own.mailings.get.query({ id })).status}`);
    }
  expect(taken).toEqual([
    'pause preparing → paused',
    'pause sending → paused',
    'retry sending → sending',
    'resume paused → sending',
    'retry paused → paused',
    'retry sent → sent',
  ]);
  for (const status of ['sent', 'cancelled']) {
    await stateOf(id, at[status] ?? '');
    expect(await refusal(own.mailings.cancel.mutate({ id }))).toMatchObject({ code: 'mailing_state' });
  }
});

test('resuming prepares a mailing whose recipients are incomplete, and ends one without waiting recipients', async () => {
  const { siteId, studio: own, post_id } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  const resumed = async (set: string) => {
    await stateOf(id, set);
    expect(await own.mailings.resume.mutate({ id })).toEqual({ status: 'updated' });
    const { status, pause_reason, ended_at } = await own.mailings.get.query({ id });
    return { status, pause_reason, isOver: ended_at !== null };
  };
  const paused = `status = 'paused', pause_reason = 'by_owner', ended_at = null`;
  const goesOn = { pause_reason: null, isOver: false };
  expect(await resumed(`${paused}, frozen_at = null`)).toEqual({ status: 'preparing', ...goesOn });
  expect(await resumed(`${paused}, frozen_at = now()`)).toEqual({ status: 'preparing', ...goesOn });
  await addCopies(siteId, id, { queued: 1 });
  expect(await resumed(`${paused}, prepared_at = now()`)).toEqual({ status: 'sending', ...goesOn });
  await app.run(`update mailing_recipients set state = 'accepted', due_at = null where mailing_id = ?`, [id]);
  expect(await resumed(`${paused}, queued = 0, accepted = 1`)).toEqual({
    status: 'sent',
    pause_reason: null,
    isOver: true,
  });
});

test('cancelling skips all waiting recipients, keeps running attempts, and the counters match the states', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  await stateOf(id, sending);
  await addCopies(siteId, id, { queued: 3, retrying: 2, sending: 1, unknown: 1, accepted: 4, refused: 1 });
  await app.run(`update mailing_recipients set due_at = now() where mailing_id = ? and state = 'unknown'`, [
    id,
  ]);
  expect(await own.mailings.cancel.mutate({ id })).toEqual({ status: 'updated' });
  expect(await own.mailings.get.query({ id })).toMatchObject({
    status: 'cancelled',
    pause_reason: null,
    ended_at: expect.any(Date),
    recipients: 12,
    counts: { ...noRecipients, skipped: 5, sending: 1, unknown: 1, accepted: 4, refused: 1 },
  });
  const counts = await app.counts(id);
  expect(counts?.are).toEqual(counts?.counted);
  const [waiting] = await app.run<{ states: string }>(
    `select string_agg(state, ',') as states from mailing_recipients where mailing_id = ? and due_at is not null`,
    [id],
  );
  expect(waiting).toEqual({ states: 'sending' });
});

test('cancelling and retrying a large mailing use several statements, and the counters match the states', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  await stateOf(id, sending);
  await addCopies(siteId, id, { queued: 20_001, refused: 20_001 });
  const statements = async () => {
    const counts = await app.counts(id);
    expect(counts?.are).toEqual(counts?.counted);
    const text = `select state, count(*)::int as copies from mailing_recipients where mailing_id = ? group by state, cmin::text order by copies`;
    return app.run(text, [id]);
  };
  expect(await own.mailings.retry.mutate({ id })).toEqual({ retried: 20_001 });
  expect(await statements()).toEqual([
    { state: 'queued', copies: 1 },
    { state: 'queued', copies: 20_000 },
    { state: 'queued', copies: 20_001 },
  ]);
  await own.mailings.cancel.mutate({ id });
  expect(await statements()).toEqual([
    { state: 'skipped', copies: 2 },
    { state: 'skipped', copies: 20_000 },
    { state: 'skipped', copies: 20_000 },
  ]);
});

test('retrying repeats refused and unconfirmed emails, except with `leave`, and reopens a sent mailing', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const fates = { refused: 2, unknown: 3, accepted: 1, skipped: 1 };
  const make = async (on_unknown: 'repeat' | 'leave') => {
    const { id } = await own.mailings.create.mutate({ post_id, on_unknown, again: true });
    await stateOf(id, `status = 'sent', frozen_at = now(), prepared_at = now(), ended_at = now()`);
    await addCopies(siteId, id, fates);
    return id;
  };
  const left = await make('leave');
  expect(await own.mailings.retry.mutate({ id: left })).toEqual({ retried: 2 });
  expect(await own.mailings.get.query({ id: left })).toMatchObject({
    status: 'sending',
    ended_at: null,
    counts: { ...noRecipients, queued: 2, unknown: 3, accepted: 1, skipped: 1 },
  });
  const repeated = await make('repeat');
  expect(await refusal(own.mailings.retry.mutate({ id: repeated }))).toMatchObject({
    code: 'mailing_state',
    message: expect.stringContaining('another mailing'),
  });
  expect(await own.mailings.get.query({ id: repeated })).toMatchObject({ status: 'sent', counts: fates });
  await own.mailings.cancel.mutate({ id: left });
  expect(await own.mailings.retry.mutate({ id: repeated })).toEqual({ retried: 5 });
  expect((await own.mailings.get.query({ id: repeated })).counts).toEqual({
    ...noRecipients,
    queued: 5,
    accepted: 1,
    skipped: 1,
  });
  const counts = await app.counts(repeated);
  expect(counts?.are).toEqual(counts?.counted);
  expect(await own.mailings.retry.mutate({ id: repeated })).toEqual({ retried: 0 });
});

test('recipients are listed by state and page, with their total', async () => {
  const { siteId, post_id, studio: own } = await ownSite();
  const { id } = await own.mailings.create.mutate({ post_id });
  await stateOf(id, sending);
  await addCopies(siteId, id, { queued: 2, refused: 3 });
  const all = await own.mailings.recipients.query({ id });
  expect([all.total, all.items.length]).toEqual([5, 5]);
  const refused = await own.mailings.recipients.query({ id, state: 'refused', per_page: 2 });
  expect([refused.total, refused.items.length]).toEqual([3, 2]);
  const [last] = (await own.mailings.recipients.query({ id, state: 'refused', per_page: 2, page: 2 })).items;
  expect(last).toEqual({
    id: expect.any(String),
    subscriber_id: expect.any(String),
    email: expect.stringMatching(/^refused\d@example.com$/),
    state: 'refused',
    body: null,
    attempts: 1,
    unconfirmed: 0,
    reply_code: null,
    reply_status: null,
    due_at: null,
    ended_at: null,
  });
});

test('emails to one reader are listed newest first, without those to others', async () => {
  const site = await ownSite();
  const run = { run: app.run, siteId: site.siteId };
  const earlier = await sentMailing(run, ['ada@example.com', 'bob@example.com'], { daysAgo: 2 });
  const later = await sentMailing(run, ['ada@example.com'], { state: 'refused', status: '5.2.2' });
  const [ada] = await app.run<{ id: string }>(`select substr(md5('ada@example.com'), 1, 15) as id`);
  const copy = {
    ...{ subject: '', body: null, attempts: 1, unconfirmed: 0, reply_code: null, due_at: null },
    ended_at: expect.any(Date),
  };
  expect(await site.studio.mailings.received.query({ subscriber_id: ada?.id ?? '' })).toEqual({
    items: [
      {
        ...copy,
        id: later.copyOf('ada@example.com'),
        mailing_id: later.id,
        state: 'refused',
        reply_status: '5.2.2',
      },
      {
        ...copy,
        id: earlier.copyOf('ada@example.com'),
        mailing_id: earlier.id,
        state: 'accepted',
        reply_status: null,
      },
    ],
    page: 1,
    per_page: expect.any(Number),
    total: 2,
  });
});

test('an audience is counted by source and tier, and by the body that each reader receives', async () => {
  const { siteId, studio: own } = await ownSite();
  const emails = ['member', 'both', 'plain', 'buyer', 'stranger', 'blocked', 'gone'].map(
    (name) => `${name}@x.example`,
  );
  await app.subscribe(emails, siteId);
  await app.run(
    `update subscribers set source = 'talk' where site_id = ? and email in ('both@x.example', 'plain@x.example')`,
    [siteId],
  );
  await app.run(
    `update subscribers set status = 'unsubscribed' where site_id = ? and email = 'gone@x.example'`,
    [siteId],
  );
  const members = {
    member: '{members}',
    both: '{members,paid}',
    plain: '{}',
    buyer: '{}',
    gone: '{members}',
  };
  for (const [name, tiers] of Object.entries({ ...members, blocked: '{members}' }))
    await app.run(
      `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
       values (?, substr(md5(?), 1, 15), ?, '', ?, ?::text[], now(), now())`,
      [siteId, name, `${name}@x.example`, name === 'blocked' ? 'blocked' : 'active', tiers],
    );
  const postOf = async (access_tier: string) =>
    (await own.posts.create.mutate({ title: access_tier, content: 'A', access_tier })).id;
  const paid = await postOf('paid');
  await own.purchases.record.mutate({
    buyer_email: 'buyer@x.example',
    content_type: 'posts',
    content_id: paid,
    amount: 5,
    currency: 'EUR',
  });
  const count = (post_id: string, audience = {}) => own.mailings.audience.query({ post_id, audience });
  expect(await count(paid)).toEqual({
    recipients: 6,
    open: 2,
    closed: 4,
    by_source: [
      { source: 'footer', recipients: 4 },
      { source: 'talk', recipients: 2 },
    ],
    by_tier: expect.toSatisfy((tiers: { tier: string; recipients: number }[]) => {
      const sorted = tiers.toSorted((a, b) => a.tier.localeCompare(b.tier));
      expect(sorted).toEqual([
        { tier: 'members', recipients: 2 },
        { tier: 'paid', recipients: 1 },
        { tier: 'registered', recipients: 4 },
      ]);
      return true;
    }),
  });
  const opens = async (tier: string) => (await count(await postOf(tier))).open;
  expect([
    await opens('free'),
    await opens('registered'),
    await opens('members'),
    await opens('gold'),
  ]).toEqual([6, 4, 2, 0]);
  const filtered = async (audience: object) => (await count(paid, audience)).recipients;
  expect(await filtered({ sources: ['talk'] })).toBe(2);
  expect(await filtered({ access_tiers: ['registered'] })).toBe(4);
  expect(await filtered({ access_tiers: ['paid', 'members'] })).toBe(2);
  expect(await filtered({ access_tiers: ['members'], sources: ['footer'] })).toBe(1);
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

test('a mailing by a program is noted in the audit log', async () => {
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
