import { afterAll, expect, test } from 'vitest';
import { startSession } from '../../server/accounts/sessions/store.ts';
import { listStaff } from '../../server/accounts/sites/owners.ts';
import { startApp } from '../support/app.ts';
import { makeFolder, runOps } from '../support/backups.ts';
import { addApp, addPasskey, askedFor, startOwner } from '../support/factors.ts';
import { codeOf, failure } from '../support/http.ts';
import { from, refused, startLimited } from '../support/limited-app.ts';
import { makeResetToken } from '../support/mailed-tokens.ts';
import { anyId } from '../support/matchers.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { nobodysBrowser } from '../support/seed.ts';

// docs/reference/second-factors.md

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const at = '/api/admin/session';
const answer = (body: object) => app.post(`${at}/factor`, { body });
const over = failure(
  401,
  'unauthorized',
  'this sign-in was already completed, has expired, or had too many attempts: sign in again',
);
const wrong = 'the second factor is wrong or was already used';
const wrongCode = { code: 'validation_failed', message: 'code: wrong or already used' };
const flipped = (code: string) => code.slice(0, -1) + (code.endsWith('0') ? '1' : '0');

test('an authenticator app is added with the password and one of its codes, and the first factor comes with ten recovery codes', async () => {
  const owner = await startOwner(app);
  const { factors } = owner.studio;
  expect(await factors.list.query()).toEqual({ data: [], recovery_codes: 0 });
  expect(await refusal(factors.totp.begin.mutate({ current: 'incorrect horse' }))).toEqual({
    code: 'validation_failed',
    message: 'current: wrong password',
  });
  const { secret, uri } = await factors.totp.begin.mutate({ current: owner.login.password });
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(uri).toContain(`secret=${secret}`);
  expect(await refusal(factors.totp.confirm.mutate({ code: '000000' }))).toEqual(wrongCode);
  expect((await app.post(at, { body: owner.login })).status).toBe(201);
  const { id, recoveryCodes } = await addApp(app, owner);
  expect(new Set(recoveryCodes).size).toBe(10);
  for (const code of recoveryCodes) expect(code).toMatch(/^([0-9a-z]{4}-){3}[0-9a-z]{4}$/);
  expect(await factors.list.query()).toEqual({
    data: [{ id, kind: 'totp', name: 'Phone', created: expect.any(Date), last_used_at: expect.any(Date) }],
    recovery_codes: 10,
  });
  const { recoveryCodes: more } = await addPasskey(owner);
  expect(more).toEqual([]);
});

test('secrets of authenticator apps are sealed, and recovery codes are hashed', async () => {
  const owner = await startOwner(app);
  const { secret, recoveryCodes } = await addApp(app, owner);
  await askedFor(app, owner);
  const rows = await app.deps.database.em.execute(
    'select (select jsonb_agg(f) from factors f) a, (select jsonb_agg(r) from recovery_codes r) b',
  );
  const stored = JSON.stringify(rows);
  for (const code of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
    expect(stored).not.toContain(code);
});

test('a person with an authenticator app signs in with the password and a code', async () => {
  const owner = await startOwner(app);
  const phone = await addApp(app, owner);
  expect(await app.post(at, { body: { ...owner.login, password: 'incorrect horse' } })).toEqual(
    failure(401, 'unauthorized', 'wrong email address or password'),
  );
  const { body } = await app.post(at, { body: owner.login });
  expect(body).toEqual({
    error: {
      code: 'second_factor_required',
      message: expect.any(String),
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      factors: ['totp', 'recovery'],
    },
  });
  const { challenge } = await askedFor(app, owner);
  const code = phone.code();
  const signedIn = await answer({ challenge, code: `${code.slice(0, 3)} ${code.slice(3)}` });
  expect(signedIn).toEqual({
    status: 201,
    body: {
      token: expect.stringMatching(/^svc_owner_/),
      expires_at: expect.any(String),
      owner: { id: anyId, email: owner.login.email, name: 'Olive Owner' },
      role: 'owner',
    },
  });
  const { token } = signedIn.body as { token: string };
  expect((await app.get(at, { key: token })).status).toBe(200);
});

test('a code of an authenticator app and a sign-in challenge can each be used once', async () => {
  const owner = await startOwner(app);
  const phone = await addApp(app, owner);
  const first = await askedFor(app, owner);
  const code = phone.code();
  expect((await answer({ ...pick(first), code })).status).toBe(201);
  const second = await askedFor(app, owner);
  expect(await answer({ ...pick(second), code })).toEqual({
    status: 401,
    body: { error: { ...second, message: wrong } },
  });
  app.clock.advance({ seconds: 30 });
  expect(await answer({ ...pick(first), code: phone.code() })).toEqual(over);
  expect((await answer({ ...pick(second), code: phone.code() })).status).toBe(201);
  expect(await answer({ ...pick(second), code: phone.code() })).toEqual(over);
});

test('of ten concurrent requests with the same code, one signs in', async () => {
  const owner = await startOwner(app);
  const phone = await addApp(app, owner);
  const requested = await Promise.all(Array.from({ length: 10 }, () => askedFor(app, owner)));
  const code = phone.code();
  const answers = await Promise.all(requested.map(({ challenge }) => answer({ challenge, code })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const again = await askedFor(app, owner);
  app.clock.advance({ seconds: 30 });
  const twins = Array.from({ length: 10 }, () => answer({ ...pick(again), code: phone.code() }));
  expect((await Promise.all(twins)).filter(({ status }) => status === 201)).toHaveLength(1);
});

test('a sign-in challenge allows five attempts at the second factor within five minutes', async () => {
  const owner = await startOwner(app);
  const phone = await addApp(app, owner);
  const { challenge } = await askedFor(app, owner);
  const codes = [];
  for (let n = 0; n < 5; n++) codes.push((await answer({ challenge, code: flipped(phone.code()) })).body);
  expect(codes.map((body) => (body as { error: { code: string } }).error.code)).toEqual([
    ...Array(4).fill('second_factor_required'),
    'unauthorized',
  ]);
  expect(await answer({ challenge, code: phone.code() })).toEqual(over);
  const late = await askedFor(app, owner);
  app.clock.advance({ minutes: 5 });
  expect(await answer({ ...pick(late), code: phone.code() })).toEqual(over);
  const inTime = await askedFor(app, owner);
  app.clock.advance({ minutes: 5, ms: -1 });
  expect((await answer({ ...pick(inTime), code: phone.code() })).status).toBe(201);
});

test("a sign-in challenge accepts no code of another person, and requires a code or a passkey's response", async () => {
  const [one, other] = [await startOwner(app), await startOwner(app)];
  const theirs = await addApp(app, one);
  const own = await addApp(app, other);
  const { challenge } = await askedFor(app, one);
  for (const code of [own.code(), own.recoveryCodes[0]])
    expect(await answer({ challenge, code })).toMatchObject({ body: { error: { message: wrong } } });
  expect(await answer({ challenge })).toEqual(
    failure(400, 'validation_failed', 'code: is required, unless `response` is given'),
  );
  expect(await answer({ challenge: flipped(challenge), code: theirs.code() })).toEqual(over);
  expect(await answer({ challenge: `totp ${challenge}`, code: theirs.code() })).toEqual(over);
  expect((await answer({ challenge, code: theirs.code() })).status).toBe(201);
});

test('a recovery code works once, in any spelling, and a changed one is refused', async () => {
  const owner = await startOwner(app);
  const [first = '', second = ''] = (await addApp(app, owner)).recoveryCodes;
  const { challenge } = await askedFor(app, owner);
  expect(await answer({ challenge, code: flipped(first) })).toMatchObject({ status: 401 });
  expect((await answer({ challenge, code: ` ${first.replaceAll('-', ' ').toUpperCase()}` })).status).toBe(
    201,
  );
  const again = await askedFor(app, owner);
  expect(await answer({ ...pick(again), code: first })).toMatchObject({ status: 401 });
  expect((await answer({ ...pick(again), code: second })).status).toBe(201);
  expect((await owner.studio.factors.list.query()).recovery_codes).toBe(8);
});

test('of concurrent recovery codes for one challenge, one is used and the others stay valid', async () => {
  const owner = await startOwner(app);
  const { recoveryCodes } = await addApp(app, owner);
  const { challenge } = await askedFor(app, owner);
  const proof = await app.post(`${at}/proof`, { key: owner.token, body: {} });
  const requested = (proof.body as { challenge: string }).challenge;
  const sent = await Promise.all([
    ...recoveryCodes.slice(0, 5).map((code) => answer({ challenge, code })),
    ...recoveryCodes
      .slice(5)
      .map((code) => app.post(`${at}/proof`, { key: owner.token, body: { challenge: requested, code } })),
  ]);
  expect(sent.map(({ status }) => status).toSorted()).toEqual([
    200,
    201,
    ...Array(4).fill(400),
    ...Array(4).fill(401),
  ]);
  expect((await owner.studio.factors.list.query()).recovery_codes).toBe(8);
  const left = recoveryCodes.filter((_, n) => (sent[n]?.status ?? 0) >= 400);
  const again = await askedFor(app, owner);
  expect(await answer({ ...pick(again), code: left[0] })).toMatchObject({ status: 201 });
});

test('new recovery codes replace the previous ones', async () => {
  const owner = await startOwner(app);
  expect(await refusal(owner.studio.factors.recovery.renew.mutate())).toMatchObject({
    code: 'validation_failed',
  });
  const [old = ''] = (await addApp(app, owner)).recoveryCodes;
  const { recovery_codes } = await owner.studio.factors.recovery.renew.mutate();
  const { challenge } = await askedFor(app, owner);
  expect(await answer({ challenge, code: old })).toMatchObject({ status: 401 });
  expect((await answer({ challenge, code: recovery_codes[9] })).status).toBe(201);
});

test('a factor can be renamed and removed; without any factor, recovery codes are deleted and the password suffices', async () => {
  const owner = await startOwner(app);
  const { factors } = owner.studio;
  const phone = await addApp(app, owner);
  app.clock.advance({ ms: 1 });
  const key = await addPasskey(owner);
  await factors.rename.mutate({ id: phone.id, name: 'Old phone' });
  expect((await factors.list.query()).data.map(({ name }) => name)).toEqual(['Old phone', 'Key']);
  await factors.remove.mutate({ id: phone.id });
  expect((await factors.list.query()).recovery_codes).toBe(10);
  expect((await askedFor(app, owner)).factors).toEqual(['passkey', 'recovery']);
  await factors.remove.mutate({ id: key.id });
  expect(await factors.list.query()).toEqual({ data: [], recovery_codes: 0 });
  expect((await app.post(at, { body: owner.login })).status).toBe(201);
  const stranger = await startOwner(app);
  const { id } = await addApp(app, stranger);
  expect(await refusal(factors.remove.mutate({ id }))).toMatchObject({ code: 'not_found' });
  expect(await refusal(factors.rename.mutate({ id, name: 'Mine' }))).toMatchObject({ code: 'not_found' });
});

test('after a password change or reset the second factor is still required, and pending challenges end', async () => {
  const owner = await startOwner(app);
  const { email, password: current } = owner.login;
  const phone = await addApp(app, owner);
  const ways: ((password: string) => Promise<unknown>)[] = [
    (password) => owner.studio.account.changePassword.mutate({ current, password }),
    async (password) =>
      app.post('/api/admin/password-reset/confirm', {
        body: { token: await makeResetToken(app, email), password },
      }),
  ];
  let login = owner.login;
  for (const [n, change] of ways.entries()) {
    const { challenge } = await askedFor(app, { login });
    login = { email, password: `staple battery horse ${n}` };
    await change(login.password);
    expect(await answer({ challenge, code: phone.code() })).toEqual(over);
    const requested = await askedFor(app, { login });
    expect((await answer({ ...pick(requested), code: phone.code() })).status).toBe(201);
    app.clock.advance({ seconds: 30 });
  }
});

test("an operator can remove a person's factors, after which the password suffices", async () => {
  const owner = await startOwner(app);
  const phone = await addApp(app, owner);
  const { challenge } = await askedFor(app, owner);
  await using folder = await makeFolder();
  const ops = (email: string) =>
    runOps(['people', 'reset-factors', email], {
      dataDir: folder.at('data'),
      databaseUrl: app.databaseUrl,
    });
  expect(await ops('nobody@example.com')).toMatchObject({ exitCode: 1 });
  expect(await ops(owner.login.email.toUpperCase())).toMatchObject({ exitCode: 0 });
  expect(await answer({ challenge, code: phone.code() })).toEqual(over);
  expect((await app.get(at, { key: owner.token })).status).toBe(401);
  const { status, body } = await app.post(at, { body: owner.login });
  expect(status).toBe(201);
  const { studio } = ownerClient(app.baseUrl, (body as { token: string }).token);
  expect(await studio.factors.list.query()).toEqual({ data: [], recovery_codes: 0 });
});

test('adding, removing and using a factor, and renewing recovery codes, write audit entries', async () => {
  app.clock.advance({ seconds: 1 });
  const owner = await startOwner(app);
  const { id, code } = await addApp(app, owner);
  await answer({ ...pick(await askedFor(app, owner)), code: code() });
  await owner.studio.factors.recovery.renew.mutate();
  await owner.studio.factors.remove.mutate({ id });
  const { items } = await owner.studio.audit.list.query();
  const own = items
    .filter(({ action, actor }) => actor.kind === 'owner' && /factor/.test(action))
    .slice(0, 4);
  const entry = (action: string, record_id: string | null) =>
    expect.objectContaining({ action, record_id, actor: expect.objectContaining({ kind: 'owner' }) });
  expect(own).toHaveLength(4);
  expect(own).toEqual(
    expect.arrayContaining([
      entry('studio.factors.totp.confirm', id),
      entry('admin.session.factor', null),
      entry('studio.factors.recovery.renew', null),
      entry('studio.factors.remove', id),
    ]),
  );
});

test('a person with several sites chooses one after both factors were accepted', async () => {
  const owner = await startOwner(app);
  const phone = await addApp(app, owner);
  const { owner: person } = (await app.get(at, { key: owner.token })).body as { owner: { id: string } };
  const site = await app.seed.site();
  await app.deps.database.em.execute(
    `insert into site_people (site_id, person_id, role, created) values (?, ?, 'editor', now())`,
    [site, person.id],
  );
  const { challenge } = await askedFor(app, owner);
  const code = phone.code();
  const requested = await answer({ challenge, code });
  expect(requested).toMatchObject({ status: 409, body: { error: { code: 'site_required' } } });
  const chosen = await answer({ challenge, site_id: site });
  expect(chosen).toMatchObject({ status: 201, body: { role: 'editor' } });
  expect(await answer({ challenge, site_id: site })).toEqual(over);
  app.clock.advance({ seconds: 30 });
  const named = await askedFor(app, { login: Object.assign({}, owner.login, { site_id: site }) });
  expect(await answer({ ...pick(named), code: phone.code() })).toMatchObject({ body: { role: 'editor' } });
  const { token } = chosen.body as { token: string };
  expect((await ownerClient(app.baseUrl, token).studio.sites.list.query()).data).toHaveLength(2);
});

const pick = ({ challenge }: { challenge: string }) => ({ challenge });

test('attempts at a second factor count by person, even from several known browsers', async () => {
  await using limited = await startLimited();
  const owner = await startOwner(limited);
  const browsers = await Promise.all(
    [1, 2].map(async (n) => {
      const { headers } = await limited.post(at, { body: owner.login, headers: from(`10.2.0.${n}`) });
      return {
        cookie: headers
          .getSetCookie()
          .map((text) => text.split(';')[0])
          .join('; '),
      };
    }),
  );
  const phone = await addApp(limited, owner);
  const attempt = async (code: string, n: number) => {
    const headers = { ...browsers[n % 2], ...from(`10.2.1.${n}`) };
    const { body } = await limited.post(at, { body: owner.login, headers });
    const { challenge } = (body as { error: { challenge: string } }).error;
    return limited.post(`${at}/factor`, { body: { challenge, code }, headers });
  };
  for (let n = 0; n < 10; n++) {
    expect(codeOf((await attempt('0000-0000-0000-0000', n)).body)).toBe('second_factor_required');
    limited.clock.advance({ seconds: 13 });
  }
  expect(await attempt(phone.code(), 10)).toEqual(refused);
  limited.clock.advance({ minutes: 15 });
  expect((await attempt(phone.code(), 11)).status).toBe(201);
});

test('an ended session cannot start another one', async () => {
  const siteId = await app.seed.ownSite();
  const owner = await startOwner(app);
  const [by] = await app.deps.database.em.execute<{ id: string }[]>(
    'select t.id from owner_sessions t join people p on p.id = t.owner_id where p.email = ?',
    [owner.login.email],
  );
  const known = (await listStaff(app.deps, siteId)).find(({ email }) => email === owner.login.email);
  if (!known || !by) throw new Error('nobody is signed in');
  const entering = () =>
    startSession(app.deps, known, { ...nobodysBrowser, by: { site_id: siteId, session_id: by.id } });
  await entering();
  await owner.studio.sessions.end.mutate({ id: by.id });
  await expect(entering()).rejects.toMatchObject({ errorCode: 'unauthorized' });
});
