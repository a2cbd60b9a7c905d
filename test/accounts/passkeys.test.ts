import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { addApp, addPasskey, askedFor, type Owner, startOwner } from '../support/factors.ts';
import { failure } from '../support/http.ts';
import { refusal } from '../support/rpc.ts';

// docs/reference/second-factors.md

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const at = '/api/admin/session';
const answer = (body: object, headers = {}) => app.post(`${at}/factor`, { body, headers });
const over = failure(
  401,
  'unauthorized',
  'this sign-in was already completed, has expired, or had too many attempts: sign in again',
);
const again = expect.objectContaining({
  status: 401,
  body: { error: expect.objectContaining({ code: 'second_factor_required' }) },
});
const wrongResponse = {
  code: 'validation_failed',
  message: 'response: does not match the challenge, or the passkey is not accepted',
};
const elsewhere = { origin: 'https://phishing.example' };
const here = { origin: 'http://localhost:3000' };

type Options = Parameters<ReturnType<typeof createAuthenticator>['get']>[0];

async function requested(owner: Owner) {
  const { challenge, options } = await askedFor(app, owner);
  if (!options) throw new Error('a passkey is asked for');
  return { challenge, options };
}

async function requestedAlone() {
  const { status, body } = await app.post(`${at}/passkey`, { body: {} });
  expect(status).toBe(200);
  return body as { challenge: string; options: Options };
}

test('a person with a passkey gets the options for their browser, and signs in with it after the password', async () => {
  const owner = await startOwner(app);
  const { authenticator, recoveryCodes } = await addPasskey(owner);
  expect(recoveryCodes).toHaveLength(10);
  const { error } = (await app.post(at, { body: owner.login })).body as { error: { challenge: string } };
  expect(error).toEqual({
    code: 'second_factor_required',
    message: expect.any(String),
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    factors: ['passkey', 'recovery'],
    options: {
      challenge: error.challenge,
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [{ id: expect.any(String), type: 'public-key', transports: ['internal'] }],
    },
  });
  const { challenge, options } = await requested(owner);
  const response = authenticator.get(options, { ...here, verifiesUser: false });
  expect((await answer({ challenge, response })).status).toBe(201);
  expect(await answer({ challenge, response })).toEqual(over);
  const { data } = await owner.studio.factors.list.query();
  expect(data).toMatchObject([{ kind: 'passkey', name: 'Key', last_used_at: expect.any(Date) }]);
});

test('a passkey alone signs in its owner if it verified the user', async () => {
  const owner = await startOwner(app);
  const { authenticator } = await addPasskey(owner);
  await addPasskey(await startOwner(app));
  const { challenge, options } = await requestedAlone();
  expect(options).toEqual({
    challenge,
    rpId: 'localhost',
    timeout: 300_000,
    userVerification: 'required',
  });
  const unseen = authenticator.get(options, { ...here, verifiesUser: false });
  expect(await answer({ challenge, response: unseen })).toEqual(over);
  const response = authenticator.get(options);
  const { userHandle: _, ...nobodys } = response.response;
  expect(await answer({ challenge, response: { ...response, response: nobodys } })).toEqual(over);
  expect(await answer({ challenge, response: authenticator.get(options) })).toMatchObject({
    status: 201,
    body: { owner: { email: owner.login.email } },
  });
  expect(await answer({ challenge, response: authenticator.get(options) })).toEqual(over);
  expect(await answer({ challenge: (await requestedAlone()).challenge, code: '287082' })).toEqual(over);
});

test('an unknown passkey, another challenge and a changed signature are refused', async () => {
  const owner = await startOwner(app);
  const { authenticator } = await addPasskey(owner);
  const { challenge, options } = await requested(owner);
  const stranger = createAuthenticator();
  const other = await requestedAlone();
  const signed = authenticator.get(options);
  const signature = Buffer.from(signed.response.signature, 'base64url');
  signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  const changed = { ...signed.response, signature: signature.toString('base64url') };
  const responses = [
    stranger.get(options),
    authenticator.get(other.options),
    { ...signed, response: changed },
  ];
  for (const response of responses) expect(await answer({ challenge, response })).toEqual(again);
  expect((await answer({ challenge, response: authenticator.get(options) })).status).toBe(201);
});

test('a response for another origin or relying party is refused', async () => {
  const owner = await startOwner(app);
  const { authenticator } = await addPasskey(owner);
  const { challenge, options } = await requested(owner);
  for (const position of [elsewhere, { ...here, rpId: 'phishing.example' }])
    expect(await answer({ challenge, response: authenticator.get(options, position) })).toEqual(again);
  const claimed = { origin: elsewhere.origin };
  expect(await answer({ challenge, response: authenticator.get(options, elsewhere) }, claimed)).toEqual(
    again,
  );
  const { options: own } = await owner.studio.factors.passkeys.begin.mutate({
    current: owner.login.password,
  });
  const second = createAuthenticator();
  for (const position of [elsewhere, { ...here, rpId: 'phishing.example' }]) {
    const added = owner.studio.factors.passkeys.finish.mutate({
      response: second.create(own, position),
      name: 'Key',
    });
    expect(await refusal(added)).toEqual(wrongResponse);
  }
});

test('on localhost, a passkey works at any port if the request comes from that origin', async () => {
  const owner = await startOwner(app);
  const { authenticator } = await addPasskey(owner);
  const { challenge, options } = await requested(owner);
  const there = { origin: 'http://localhost:8080' };
  expect(await answer({ challenge, response: authenticator.get(options, there) })).toEqual(again);
  expect((await answer({ challenge, response: authenticator.get(options, there) }, there)).status).toBe(201);
});

test('a copied passkey is refused because of its signature counter', async () => {
  const owner = await startOwner(app);
  const { authenticator } = await addPasskey(owner);
  const copy = authenticator.copy();
  const first = await requested(owner);
  const response = authenticator.get(first.options);
  expect((await answer({ challenge: first.challenge, response })).status).toBe(201);
  const second = await requested(owner);
  expect(await answer({ challenge: second.challenge, response: copy.get(second.options) })).toEqual(again);
});

test('one response sent to several challenges concurrently signs in once', async () => {
  const owner = await startOwner(app);
  const { authenticator } = await addPasskey(owner);
  const { challenge, options } = await requested(owner);
  const response = authenticator.get(options);
  const others = await Promise.all(Array.from({ length: 4 }, () => requested(owner)));
  const challenges = [challenge, challenge, ...others.map((other) => other.challenge)];
  const answers = await Promise.all(challenges.map((one) => answer({ challenge: one, response })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
});

test('a passkey cannot answer the challenge of another person, and can be added once', async () => {
  const [one, other] = [await startOwner(app), await startOwner(app)];
  await addPasskey(one);
  const { authenticator } = await addPasskey(other);
  const { challenge, options } = await requested(one);
  expect(await answer({ challenge, response: authenticator.get(options) })).toEqual(again);
  const { factors } = one.studio;
  const begin = () => factors.passkeys.begin.mutate({ current: one.login.password });
  const theirs = await other.studio.factors.passkeys.begin.mutate({ current: other.login.password });
  const made = createAuthenticator();
  const finish = (response: ReturnType<typeof made.create>) =>
    factors.passkeys.finish.mutate({ response, name: 'Second' });
  const begunAnew = { code: 'validation_failed', message: expect.stringContaining('request a new one') };
  expect(await refusal(finish(made.create(theirs.options)))).toEqual(begunAnew);
  const response = made.create((await begin()).options);
  await finish(response);
  expect(await refusal(finish(response))).toEqual(begunAnew);
  expect(await refusal(finish(made.create((await begin()).options)))).toEqual(wrongResponse);
  const late = made.create((await begin()).options);
  app.clock.advance({ minutes: 5 });
  expect(await refusal(finish(late))).toEqual(begunAnew);
});

test('a person without their passkey can sign in with a recovery code or an authenticator app', async () => {
  const owner = await startOwner(app);
  const { recoveryCodes } = await addPasskey(owner);
  const phone = await addApp(app, owner);
  for (const code of [recoveryCodes[0], phone.code()]) {
    const { challenge } = await requested(owner);
    expect((await answer({ challenge, code })).status).toBe(201);
  }
});
