import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { serverWaits } from '../../shared/db/database-timeouts.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { withPort } from '../support/delivery-stage.ts';
import { failure } from '../support/http.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startProxy } from '../support/tcp-proxy.ts';

// Idempotent calls whose effect a transaction cannot roll back, such as email, and concurrent requests with one key.

const posts = '/api/v1/posts';
const busy = failure(503, 'database_busy');
const email = 'grace@example.com';

const under = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey });
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

async function startSite() {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url });
  await app.seed.ownSite();
  const call = (name: string, json: object, idempotencyKey: string) =>
    app.post(`/trpc/site.members.${name}`, { body: { json }, headers: under(idempotencyKey) });
  return {
    ...app,
    mail,
    requestCode: (idempotencyKey: string = randomUUID()) => call('requestCode', { email }, idempotencyKey),
    signIn: (code: string, idempotencyKey: string = randomUUID()) =>
      call('signIn', { email, code }, idempotencyKey),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

test('wrong codes count with one idempotency key or with many: after five, the right code is refused', async () => {
  for (const same of [randomUUID(), undefined]) {
    await using site = await startSite();
    await site.requestCode();
    const code = site.mail.codeFor(email);
    for (let tries = 0; tries < 5; tries++) {
      expect(await site.signIn(another(code), same)).toMatchObject({ status: 401 });
    }
    expect(await site.signIn(code)).toMatchObject({ status: 401 });
    expect(await site.deps.database.em.execute('select tries_left from sign_in_codes')).toEqual([
      { tries_left: 0 },
    ]);
    expect(
      await site.deps.database.em.execute(`select * from idempotency_keys where answer_sealed is null`),
    ).toEqual([]);
  }
});

test('of many concurrent wrong codes with idempotency keys, no more than five count', async () => {
  await using site = await startSite();
  await site.requestCode();
  const code = site.mail.codeFor(email);
  const attempts = Array.from({ length: 40 }, (_, n) =>
    site.signIn(another(code), n % 2 ? 'same' : undefined),
  );
  expect(new Set((await Promise.all(attempts)).map(({ status }) => status))).toEqual(new Set([401]));
  expect(await site.signIn(code)).toMatchObject({ status: 401 });
});

test('concurrent sign-ins with the right code and one idempotency key get the same session', async () => {
  await using site = await startSite();
  await site.requestCode();
  const code = site.mail.codeFor(email);
  const twins = await Promise.all(Array.from({ length: 20 }, () => site.signIn(code, 'same')));
  const [first] = twins;
  expect(first).toMatchObject({ status: 200 });
  expect(twins).toEqual(twins.map(() => first));
  expect(await site.deps.database.em.execute('select id from member_sessions')).toHaveLength(1);
});

test('concurrent requests for a code with one idempotency key send one email', async () => {
  await using site = await startSite();
  const twins = await Promise.all(Array.from({ length: 20 }, () => site.requestCode('same')));
  expect(twins.map(({ status }) => status)).toEqual(twins.map(() => 200));
  expect(site.mail.mails).toHaveLength(1);
});

test('concurrent tests of a subscription with one key send one event, and keep no transaction open during it', async () => {
  await using receiver = await startCountingReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } });
  const { path, request } = await subscribe(app, receiver.url);
  receiver.answerWith(() => null);
  const arrival = receiver.nextArrival();
  const first = app.post(path, request);
  await arrival;
  const open = `select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
  expect(await app.deps.database.em.execute(open)).toEqual([]);
  const twin = app.post(path, request);
  receiver.letGo();
  expect(await first).toMatchObject({ status: 200, body: { status_code: 200, error: null } });
  expect(await twin).toEqual(await first);
  expect(receiver.arrivals).toHaveLength(1);
  expect(await app.deps.database.em.execute('select id from webhook_deliveries')).toHaveLength(1);
});

test('after the process of a test died, its key gets database_busy for a minute and is then run again', async () => {
  await using receiver = await startCountingReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } });
  const { path, request } = await subscribe(app, receiver.url);
  const minute = app.clock.inMinutes(1).toISOString();
  await app.post(path, request);
  // State after a process died between sending and storing the response.
  await app.deps.database.em.execute(
    `update idempotency_keys set answer_sealed = null, claimed_until = '${minute}'`,
  );
  const twin = await app.post(path, request);
  expect(twin).toEqual(busy);
  expect(twin.headers.get('retry-after')).toBe('1');
  expect(receiver.arrivals).toHaveLength(1);
  app.clock.advance({ minutes: 1 });
  const again = await app.post(path, request);
  expect(again).toMatchObject({ status: 200, body: { status_code: 200 } });
  expect(isReplay(again)).toBe(null);
  expect(await app.post(path, request)).toEqual(again);
  expect(receiver.arrivals).toHaveLength(2);
});

test('a test that fails is not stored and can be repeated', async () => {
  await using app = await startApp();
  const { path, request } = await subscribe(app, 'https://203.0.113.1/', 'unknown0unknown');
  expect(await app.post(path, request)).toEqual(failure(404, 'not_found'));
  expect(await app.deps.database.em.execute('select * from idempotency_keys')).toEqual([]);
});

test('a write whose idempotency key another process is using waits for that process, at most for the lock timeout', async () => {
  await using app = await startApp({ waits: { ...serverWaits, lockMs: 3_000 } });
  const key = await app.seed.key();
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  const begun = `
    begin;
    insert into idempotency_keys (site_id, credential, key, request_hash, expires_at)
      select site_id, 'key ' || id, 'same', 'elsewhere', now() from api_keys`;
  await client.query(begun);
  const request = { key, body: { title: 'Late' }, headers: under('same') };
  const answer = await app.post(posts, request);
  expect(answer).toEqual(busy);
  expect(answer.headers.get('retry-after')).toBe('1');
  const waiting = app.post(posts, request);
  await client.query('rollback');
  expect(await waiting).toMatchObject({ status: 201 });
  await client.end();
});

test.for([
  ['after it was done', 'holdAnswer', 'true'],
  ['before it was done', 'holdRequest', null],
] as const)(
  'a commit whose confirmation is lost, %s, gets database_busy, and a repetition gets the outcome',
  async ([_, hold, replayed]) => {
    await using proxy = await startProxy({ port: Number(new URL(inject('databaseUrl')).port) });
    await using app = await startApp({ serverUrl: withPort(inject('databaseUrl'), proxy.port) });
    const key = await app.seed.key();
    const request = { key, body: { title: 'Lost' }, headers: under('lost') };
    const held = proxy[hold](/insert into idempotency_keys/, /commit\0/i);
    const lost = app.post(posts, request);
    (await held).cut();
    const answer = await lost;
    expect(answer).toEqual(busy);
    expect(answer.headers.get('retry-after')).toBe('1');
    const again = await app.post(posts, request);
    expect(again).toMatchObject({ status: 201 });
    expect(isReplay(again)).toBe(replayed);
    expect(await app.deps.database.em.execute(`select id from posts where title = 'Lost'`)).toHaveLength(1);
  },
);

/** Creates a subscription. Returns the request that tests it, or one for `otherId`. */
async function subscribe(app: TestApp, url: string, otherId?: string) {
  const token = await app.seed.ownerToken();
  const { body } = await app.post('/api/admin/webhooks', {
    key: token,
    body: { url, events: ['content.created'] },
  });
  const { id } = body as { id: string };
  return {
    path: `/api/admin/webhooks/${otherId ?? id}/test`,
    request: { key: token, headers: under('test') },
  };
}
