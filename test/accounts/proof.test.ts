import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { calls } from '../support/calls.ts';
import { addApp, addPasskey, askedFor, startOwner } from '../support/factors.ts';
import { codeOf, failure } from '../support/http.ts';
import { from, refused, startLimited } from '../support/limited-app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// docs/reference/second-factors.md#fresh-proof

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const at = '/api/admin/session';
const required = { code: 'proof_required', message: expect.any(String) };
const prove = (key: string, body: object) => app.post(`${at}/proof`, { key, body });

/**
 * Procedures that require a fresh proof from people with a second factor: they give others access to a site or an account,
 * export its data, or decide where its money goes.
 */
const dangerous = [
  'admin.apiKeys.create',
  'admin.apiKeys.delete',
  'admin.apiKeys.rotate',
  'admin.apiKeys.update',
  'admin.webhooks.create',
  'admin.webhooks.rotateSecret',
  'admin.webhooks.update',
  'studio.assistants.approve',
  'studio.assistants.update',
  'studio.account.changeEmail',
  'studio.account.changePassword',
  'studio.factors.passkeys.begin',
  'studio.factors.recovery.renew',
  'studio.factors.remove',
  'studio.factors.totp.begin',
  'studio.members.export',
  'studio.payments.connect',
  'studio.payments.disconnect',
  'studio.transfers.export',
  'studio.people.invite',
  'studio.people.remove',
  'studio.people.update',
  'studio.subscribers.export',
];

test('exactly the listed procedures require a fresh proof of identity, and only from people with a second factor', async () => {
  const [one, other] = [await app.seed.person('owner'), await app.seed.person('owner')];
  await app.deps.database.em.execute(
    `insert into factors (person_id, id, kind, name, transports, created) values (?, 'a', 'totp', '', '{}', now())`,
    [one.id],
  );
  const staffed = calls.filter(({ access, name }) => access === 'owner' && name !== 'uploads.ownMedia');
  const outcome = async (call: (typeof calls)[number], person: typeof one) =>
    codeOf((await call.send(app, { unknown: true }, await app.seed.session(person))).body);
  for (const call of staffed) {
    expect([call.title, await outcome(call, other)]).not.toEqual([call.title, 'proof_required']);
    const isRefused = (await outcome(call, one)) === 'proof_required';
    expect([call.title, isRefused]).toEqual([call.title, dangerous.includes(call.name)]);
  }
});

test('a proof by an app or a recovery code is valid for ten minutes, in its own session', async () => {
  const owner = await startOwner(app);
  const { people } = owner.studio;
  const phone = await addApp(app, owner);
  const other = ownerClient(app.baseUrl, await secondSession(owner, phone.recoveryCodes[0] ?? '')).studio;
  const invite = (studio = owner.studio) =>
    studio.people.invite.mutate({ email: `${crypto.randomUUID()}@example.com`, role: 'author' });
  await invite();
  app.clock.advance({ minutes: 10, ms: -1 });
  await invite(other);
  app.clock.advance({ ms: 1 });
  expect(await refusal(invite())).toEqual(required);
  expect(await refusal(invite(other))).toEqual(required);
  await people.list.query();
  expect(await prove(owner.token, { code: phone.code() })).toEqual({
    status: 200,
    body: {
      factors: ['totp', 'recovery'],
      challenge: null,
      options: null,
      proved_until: expect.any(String),
    },
  });
  await invite();
  expect(await refusal(invite(other))).toEqual(required);
  expect((await prove(owner.token, { code: phone.recoveryCodes[1] })).status).toBe(200);
});

async function secondSession(owner: Awaited<ReturnType<typeof startOwner>>, code: string) {
  const { challenge } = await askedFor(app, owner);
  return ((await app.post(`${at}/factor`, { body: { challenge, code } })).body as { token: string }).token;
}

test('a proof by passkey must answer a proof challenge of the same person, and works once', async () => {
  const [owner, other] = [await startOwner(app), await startOwner(app)];
  const { authenticator } = await addPasskey(owner);
  await addPasskey(other);
  app.clock.advance({ minutes: 10 });
  const request = async (key: string) => {
    const { body } = await prove(key, {});
    return body as { challenge: string; options: Parameters<typeof authenticator.get>[0] };
  };
  expect(await prove(owner.token, {})).toEqual({
    status: 200,
    body: {
      factors: ['passkey', 'recovery'],
      challenge: expect.any(String),
      options: expect.objectContaining({ rpId: 'localhost', allowCredentials: [expect.anything()] }),
      proved_until: null,
    },
  });
  const { challenge, options } = await request(owner.token);
  const response = authenticator.get(options);
  const begunAnew = failure(
    400,
    'validation_failed',
    'the challenge has expired or had too many attempts: request a new one',
  );
  const theirs = await request(other.token);
  expect(await prove(other.token, { challenge, response })).toEqual(begunAnew);
  expect(await prove(owner.token, { challenge: theirs.challenge, response })).toEqual(begunAnew);
  expect(await prove(owner.token, { response })).toMatchObject({ status: 400 });
  expect((await prove(owner.token, { challenge, response })).status).toBe(200);
  expect(await prove(owner.token, { challenge, response })).toEqual(begunAnew);
  const signIn = await askedFor(app, owner);
  const forSignIn = signIn.options && authenticator.get(signIn.options);
  expect(await prove(owner.token, { challenge: signIn.challenge, response: forSignIn })).toEqual(begunAnew);
  const forProof = await request(owner.token);
  const proof = { challenge: forProof.challenge, response: authenticator.get(forProof.options) };
  expect((await app.post(`${at}/factor`, { body: proof })).status).toBe(401);
});

test('a person without a factor needs no proof', async () => {
  const owner = await startOwner(app);
  expect(await prove(owner.token, {})).toEqual({
    status: 200,
    body: { factors: [], challenge: null, options: null, proved_until: null },
  });
  await owner.studio.transfers.export.mutate({});
});

test('sessions that started before the first factor was added elsewhere have no proof', async () => {
  const owner = await startOwner(app);
  const { body } = await app.post(at, { body: owner.login });
  const before = ownerClient(app.baseUrl, (body as { token: string }).token).studio;
  const phone = await addApp(app, owner);
  await owner.studio.transfers.export.mutate({});
  expect(await refusal(before.transfers.export.mutate({}))).toEqual(required);
  expect(await refusal(before.factors.remove.mutate({ id: phone.id }))).toEqual(required);
});

test('a session for another site of the same person inherits the proof', async () => {
  const owner = await startOwner(app);
  await addApp(app, owner);
  const id = await app.seed.site();
  await app.deps.database.em.execute(
    `insert into site_people (site_id, person_id, role, created)
    select ?, id, 'owner', now() from people where email = ?`,
    [id, owner.login.email],
  );
  const { token } = await owner.studio.sites.enter.mutate({ id });
  const { studio } = ownerClient(app.baseUrl, token);
  await studio.transfers.export.mutate({});
  app.clock.advance({ minutes: 10 });
  expect(await refusal(studio.transfers.export.mutate({}))).toEqual(required);
});

test('a person has ten wrong codes in 15 minutes, and sign-in attempts by others do not use them up', async () => {
  await using limited = await startLimited();
  const owner = await startOwner(limited);
  const phone = await addApp(limited, owner);
  const { token } = owner;
  const wrongCode = failure(400, 'validation_failed', 'code: wrong or already used');
  const tryCode = (code: string, n: number) =>
    limited.post(`${at}/proof`, { key: token, body: { code }, headers: from(`10.1.0.${n}`) });
  const { email } = owner.login;
  for (let n = 0; n < 11; n++)
    await limited.post(at, { body: { email, password: 'incorrect horse' }, headers: from(`10.1.2.${n}`) });
  expect((await tryCode(phone.recoveryCodes[0] ?? '', 0)).status).toBe(200);
  for (let n = 0; n < 10; n++) expect(await tryCode('0000-0000-0000-0000', n)).toEqual(wrongCode);
  expect(await tryCode(phone.code(), 1)).toEqual(refused);
  limited.clock.advance({ minutes: 15 });
  expect((await tryCode(phone.code(), 1)).status).toBe(200);
});
