import { expect, test } from 'vitest';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { startApp } from '../support/app.ts';
import { rowsOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { makeEmailToken, makeResetToken } from '../support/mailed-tokens.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { startTestWorker } from '../support/worker.ts';

// docs/reference/passwords.md

const at = '/api/admin/email/confirm';
const email = 'new@example.com';
const spent = failure(
  401,
  'unauthorized',
  'this link was already used, has expired, or the account has changed: request a new one',
);

async function startSignedIn() {
  const app = await startApp();
  // The worker uses the machine's clock.
  app.clock.catchUp();
  const owner = await app.seed.owner();
  const signIn = (address: string) =>
    app.post('/api/admin/session', { body: { email: address, password: owner.password } });
  const { token } = (await signIn(owner.email)).body as { token: string };
  return {
    app,
    owner,
    token,
    signIn,
    account: ownerClient(app.baseUrl, token).studio.account,
    confirm: (link: string, headers = {}) => app.post(at, { body: { token: link }, headers }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

test('a new email address applies when it is confirmed, and the previous address then gets a notice', async () => {
  await using site = await startSignedIn();
  await using mail = await startMailServer();
  await using _ = await startTestWorker(site.app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL('https://creators.example'),
  });
  await site.account.changeEmail.mutate({ email: email.toUpperCase(), current: site.owner.password });
  await eventually(() => mail.mails.length === 1);
  expect(mail.mails[0]?.to).toEqual([email]);
  const text = (mail.mails[0]?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const token = /https:\/\/creators\.example\/studio\/new-email#(svc_email_[\w.-]+)/.exec(text)?.[1] ?? '';
  expect((await site.signIn(email)).status).toBe(401);

  expect((await site.confirm(token)).status).toBe(200);

  expect((await site.signIn(email)).status).toBe(201);
  expect((await site.signIn(site.owner.email)).status).toBe(401);
  expect((await site.app.get('/api/admin/session', { key: site.token })).body).toMatchObject({
    owner: { email },
  });
  await eventually(() => mail.mails.length === 2);
  expect(mail.mails[1]).toMatchObject({ to: [site.owner.email], raw: expect.stringContaining(email) });
});

test('changing the email address requires the password', async () => {
  await using site = await startSignedIn();
  const changing = site.account.changeEmail.mutate({ email, current: 'incorrect horse' });
  expect(await refusal(changing)).toEqual({
    code: 'validation_failed',
    message: 'current: wrong password',
  });
  expect(await rowsOf(site.app, 'select from graphile_worker.jobs')).toEqual([]);
});

test('the link that confirms a new email address works once, until it expires or the account changes; a changed token is refused', async () => {
  await using site = await startSignedIn();
  const { app, owner } = site;
  const make = () => makeEmailToken(app, owner.email, email);
  const flipped = await make();
  expect(await site.confirm(flipped.slice(0, -1) + (flipped.endsWith('A') ? 'Q' : 'A'))).toEqual(spent);
  expect(await site.confirm('svc_reset_3Tq8bXn0LrVd5Zk7HsWc2YfGm9JpAe4Ru6Ei1Ot0UiQ')).toEqual(spent);
  const late = await make();
  app.clock.advance({ minutes: 1 });
  expect(await site.confirm(late)).toEqual(spent);
  const before = await make();
  await site.account.changePassword.mutate({ current: owner.password, password: 'staple battery horse' });
  expect(await site.confirm(before)).toEqual(spent);
  const token = await make();
  const once = { 'idempotency-key': 'once' };
  expect((await site.confirm(token, once)).status).toBe(200);
  expect((await site.confirm(token, once)).headers.get('idempotency-replayed')).toBe('true');
  app.clock.advance({ seconds: 1 });
  expect(await site.confirm(token)).toEqual(spent);
});

test('a link for a new email address that is not sent yet when the password changes is never sent', async () => {
  await using site = await startSignedIn();
  const { app, owner } = site;
  await site.account.changeEmail.mutate({ email, current: owner.password });
  app.clock.advance({ seconds: 1 });
  await site.account.changePassword.mutate({ current: owner.password, password: 'staple battery horse' });
  await using mail = await startMailServer();
  await using _ = await startTestWorker(app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL('https://creators.example'),
  });
  await eventually(async () => (await rowsOf(app, 'select from graphile_worker.jobs')).length === 0);
  expect(mail.mails).toEqual([]);
});

test('an email address that another account uses at confirmation is refused with account_exists', async () => {
  await using site = await startSignedIn();
  const other = await site.app.seed.owner();
  const token = await makeEmailToken(site.app, site.owner.email, other.email);
  expect(await site.confirm(token)).toMatchObject({
    status: 409,
    body: { error: { code: 'account_exists' } },
  });
  expect((await site.signIn(site.owner.email)).status).toBe(201);
});

test('confirming a new email address ends password reset links that were sent to the previous one', async () => {
  await using site = await startSignedIn();
  const reset = await makeResetToken(site.app, site.owner.email);
  expect((await site.confirm(await makeEmailToken(site.app, site.owner.email, email))).status).toBe(200);
  const body = { token: reset, password: 'of a thief' };
  expect((await site.app.post('/api/admin/password-reset/confirm', { body })).status).toBe(401);
});

test('the link that confirms a new email address is unknown at the domain of another site', async () => {
  await using site = await startSignedIn();
  await site.app.seed.site({ custom_domain: 'other.example' });
  const token = await makeEmailToken(site.app, site.owner.email, email);
  expect(await site.app.atHost('other.example', 'POST', at, { body: { token } })).toEqual(spent);
});
