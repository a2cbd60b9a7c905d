import { expect, test } from 'vitest';
import { startSession } from '../../server/accounts/sessions/store.ts';
import { listStaff } from '../../server/accounts/sites/owners.ts';
import { SitePerson } from '../../shared/db/entities/person.ts';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { from, refused, startLimited } from '../support/limited-app.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { choosePassword } from '../support/mailed-tokens.ts';
import { firefox, ownerClient, refusal } from '../support/rpc.ts';
import { nobodysBrowser } from '../support/seed.ts';
import { startTestWorker } from '../support/worker.ts';

// docs/reference/passwords.md

const at = '/api/admin/password-reset';
const password = 'a rather new password';
const spent = failure(
  401,
  'unauthorized',
  'this link was already used, replaced by a later one, or has expired: request a new one',
);

/** Starts an app with a worker that sends email, and an owner who forgot the password. */
async function startMailing() {
  const app = await startApp();
  // The worker uses the machine's clock.
  app.clock.catchUp();
  const mail = await startMailServer();
  const worker = await startTestWorker(app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL('https://creators.example'),
  });
  const owner = await app.seed.owner();
  const mailed = async () => {
    const count = mail.mails.length;
    expect((await app.post(at, { body: { email: owner.email.toUpperCase() } })).status).toBe(202);
    await eventually(() => mail.mails.length > count);
    const text = (mail.mails.at(-1)?.raw ?? '').replaceAll('=\r\n', '');
    return /https:\/\/creators\.example\/studio\/new-password#(svc_reset_\w{43})/.exec(text)?.[1] ?? '';
  };
  return {
    app,
    mail,
    owner,
    /** Requests a link. Returns the token in the email. */
    mailed,
    confirm: (token: string, headers = {}) =>
      app.post(`${at}/confirm`, { body: { token, password }, headers }),
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await mail.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

const signIn = (app: TestApp, login: { email: string; password: string }, headers = {}) =>
  app.post('/api/admin/session', { body: login, headers });

const tokenOf = ({ body }: { body: unknown }) => (body as { token: string }).token;

test('a person who forgot the password sets a new one with the emailed link, and every session ends', async () => {
  await using site = await startMailing();
  const { app, owner } = site;
  const session = tokenOf(await signIn(app, owner));
  const token = await site.mailed();
  expect(site.mail.mails.map(({ to }) => to)).toEqual([[owner.email]]);
  expect((await site.confirm(token)).status).toBe(200);
  expect((await app.get('/api/admin/session', { key: session })).status).toBe(401);
  expect((await signIn(app, owner)).status).toBe(401);
  expect((await signIn(app, { ...owner, password })).status).toBe(201);
});

test('a password reset link works once, and a repetition with the same idempotency key is replayed', async () => {
  await using site = await startMailing();
  const token = await site.mailed();
  const first = await site.confirm(token, { 'idempotency-key': 'once' });
  expect(first.status).toBe(200);
  const again = await site.confirm(token, { 'idempotency-key': 'once' });
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(await site.confirm(token)).toEqual(spent);
});

test('a password reset link ends after half an hour, when it is replaced or the password changes; a changed token is refused', async () => {
  await using site = await startMailing();
  const { app, owner } = site;
  const replaced = await site.mailed();
  const latest = await site.mailed();
  expect(await site.confirm(replaced)).toEqual(spent);
  expect(await site.confirm(latest.slice(0, -1) + (latest.endsWith('a') ? 'b' : 'a'))).toEqual(spent);
  const { studio } = ownerClient(app.baseUrl, tokenOf(await signIn(app, owner)));
  await studio.account.changePassword.mutate({ current: owner.password, password });
  expect(await site.confirm(latest)).toEqual(spent);
  app.clock.advance({ seconds: 1 });
  const late = await site.mailed();
  app.clock.advance({ minutes: 31 });
  expect(await site.confirm(late)).toEqual(spent);
});

test('a password reset link that is not sent yet when the password changes is never sent', async () => {
  await using app = await startApp();
  app.clock.catchUp();
  const mail = await startMailServer();
  const owner = await app.seed.owner();
  const { studio } = ownerClient(app.baseUrl, tokenOf(await signIn(app, owner)));
  const request = async () => expect((await app.post(at, { body: { email: owner.email } })).status).toBe(202);
  const allDone = () =>
    eventually(async () => {
      const jobs = await app.deps.database.em.execute(
        `select 1 from graphile_worker.jobs where task_identifier = 'mail_password_reset'`,
      );
      return jobs.length === 0;
    });
  await request();
  app.clock.advance({ seconds: 1 });
  await studio.account.changePassword.mutate({ current: owner.password, password });
  await using _ = await startTestWorker(app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL('https://creators.example'),
  });
  await allDone();
  expect(mail.mails).toEqual([]);
  app.clock.advance({ seconds: 1 });
  await request();
  await allDone();
  expect(mail.mails).toHaveLength(1);
  await mail.close();
});

/** Starts an app that pauses after each password check until `goOn` is called. */
async function startHolding() {
  const compared = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const app = await startApp();
  const { passwordChecks } = app.deps;
  app.deps.passwordChecks = async (siteId, check) => {
    const result = await passwordChecks(siteId, check);
    compared.resolve();
    await goOn.promise;
    return result;
  };
  return { app, compared: compared.promise, goOn: goOn.resolve };
}

test('a sign-in fails if the password is replaced while it is checked', async () => {
  const { app, compared, goOn } = await startHolding();
  await using _ = app;
  const owner = await app.seed.owner();
  const signingIn = signIn(app, owner);
  await compared;
  await choosePassword(app, owner.email, password);
  goOn();
  expect(await signingIn).toEqual(failure(401, 'unauthorized', 'wrong email address or password'));
});

test('a password change fails if the password is replaced while the current one is checked', async () => {
  const { app, compared, goOn } = await startHolding();
  await using _ = app;
  const siteId = await app.seed.ownSite();
  const owner = await app.seed.owner(siteId);
  const [known] = await listStaff(app.deps, siteId);
  if (!known) throw new Error('the site has no owner');
  const { token } = await startSession(app.deps, known, nobodysBrowser);
  const { studio } = ownerClient(app.baseUrl, token);
  const changing = refusal(
    studio.account.changePassword.mutate({ current: owner.password, password: 'of a thief' }),
  );
  await compared;
  await choosePassword(app, owner.email, password);
  goOn();
  expect(await changing).toEqual({ code: 'validation_failed', message: 'current: wrong password' });
  expect((await signIn(app, { ...owner, password })).status).toBe(201);
});

test('an unknown email address gets the same response as a known one, and no email', async () => {
  await using site = await startMailing();
  const known = await app202(site.app, site.owner.email);
  const unknown = await app202(site.app, 'nobody@example.com');
  expect(unknown).toEqual(known);
  await eventually(async () => {
    const jobs = await site.app.deps.database.em.execute(
      `select 1 from graphile_worker.jobs where task_identifier = 'mail_password_reset'`,
    );
    return jobs.length === 0 && site.mail.mails.length > 0;
  });
  expect(site.mail.mails.map(({ to }) => to)).toEqual([[site.owner.email]]);
  expect((await site.app.post(at, { body: { email: 'nobody' } })).status).toBe(400);
});

async function app202(app: TestApp, email: string) {
  const { status, body } = await app.post(at, { body: { email } });
  return { status, body };
}

test('a password reset link is unknown at the domain of another site', async () => {
  await using site = await startMailing();
  await site.app.seed.site({ custom_domain: 'other.example' });
  const token = await site.mailed();
  const body = { token, password };
  expect(await site.app.atHost('other.example', 'POST', `${at}/confirm`, { body })).toEqual(spent);
  expect((await site.confirm(token)).status).toBe(200);
});

test('an email address gets at most three reset links in a row, whichever client addresses request them', async () => {
  await using app = await startLimited();
  const { email } = await app.seed.owner();
  const request = (n: number) => app.post(at, { body: { email }, headers: from(`10.1.0.${n}`) });
  for (let n = 0; n < 3; n++) expect((await request(n)).status).toBe(202);
  expect(await request(3)).toEqual(refused);
});

test('changing the password requires the current one, and ends all other sessions', async () => {
  await using app = await startApp();
  const owner = await app.seed.owner();
  const own = tokenOf(await signIn(app, owner));
  const other = tokenOf(await signIn(app, owner));
  const { studio } = ownerClient(app.baseUrl, own);
  expect(
    await refusal(studio.account.changePassword.mutate({ current: 'incorrect horse', password })),
  ).toEqual({ code: 'validation_failed', message: 'current: wrong password' });
  await studio.account.changePassword.mutate({ current: owner.password, password });
  expect((await app.get('/api/admin/session', { key: own })).status).toBe(200);
  expect((await app.get('/api/admin/session', { key: other })).status).toBe(401);
  expect((await signIn(app, { ...owner, password })).status).toBe(201);
});

test('a new password ends the sessions of a person on every site', async () => {
  await using app = await startApp();
  const owner = await app.seed.owner();
  const [known] = await listStaff(app.deps);
  if (!known) throw new Error('there is no owner');
  const elsewhere = await app.seed.site();
  const work = { person_id: known.id, role: 'owner', created: app.clock.now() } as const;
  await app.deps.database.em.fork().insert(SitePerson, { ...work, site_id: elsewhere });
  const tokens = await Promise.all(
    [known.site_id, elsewhere].map((site_id) =>
      startSession(app.deps, { ...known, site_id }, nobodysBrowser).then(({ token }) => token),
    ),
  );
  const statuses = () =>
    Promise.all(tokens.map(async (key) => (await app.get('/api/admin/session', { key })).status));
  expect(await statuses()).toEqual([200, 200]);
  await choosePassword(app, owner.email, password);
  expect(await statuses()).toEqual([401, 401]);
});

test('a person who is removed from a site is signed out there', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.ownerToken(siteId);
  expect((await app.get('/api/admin/session', { key })).status).toBe(200);
  await app.deps.database.em.fork().nativeDelete(SitePerson, { site_id: siteId });
  expect((await app.get('/api/admin/session', { key })).status).toBe(401);
});

test('an owner sees their sessions, and can end one of them or all others', async () => {
  await using app = await startApp();
  const owner = await app.seed.owner();
  const first = tokenOf(await signIn(app, owner, { 'user-agent': firefox }));
  app.clock.advance({ minutes: 10 });
  const second = tokenOf(await signIn(app, owner, { 'user-agent': 'a program' }));
  app.clock.advance({ minutes: 10 });
  const third = tokenOf(await signIn(app, owner));
  const { studio } = ownerClient(app.baseUrl, first);
  const { data } = await studio.sessions.list.query();
  expect(data.map(({ browser, address, is_current }) => ({ browser, address, is_current }))).toEqual([
    { browser: null, address: '127.0.0.x', is_current: false },
    { browser: null, address: '127.0.0.x', is_current: false },
    { browser: 'Firefox on Linux', address: '127.0.0.x', is_current: true },
  ]);
  expect(data.at(-1)?.last_used_at).toEqual(app.clock.now());
  await studio.sessions.end.mutate({ id: data[0]?.id ?? '' });
  const isIn = async (key: string) => (await app.get('/api/admin/session', { key })).status === 200;
  expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([true, true, false]);
  await studio.sessions.endOthers.mutate();
  expect([await isIn(first), await isIn(second)]).toEqual([true, false]);
});

test('sessions of another owner of the site can be neither listed nor ended', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const theirs = await app.seed.ownerToken(siteId);
  const own = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const [session] = (await ownerClient(app.baseUrl, theirs).studio.sessions.list.query()).data;
  expect((await own.studio.sessions.list.query()).data).toHaveLength(1);
  expect((await refusal(own.studio.sessions.end.mutate({ id: session?.id ?? '' }))).code).toBe('not_found');
  await own.studio.sessions.endOthers.mutate();
  expect((await app.get('/api/admin/session', { key: theirs })).status).toBe(200);
});
