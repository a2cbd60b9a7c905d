import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { startLimited } from '../support/limited-app.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { makeInvitationToken } from '../support/mailed-tokens.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { startTestWorker } from '../support/worker.ts';

// docs/reference/invitations.md

const at = '/api/admin/invitations/accept';
const newcomer = { name: 'Grace Bell', password: 'staple battery horse' };
const email = 'grace@example.com';
const spent = failure(
  401,
  'unauthorized',
  'this invitation was accepted, revoked or replaced, or has expired: ask for a new one',
);

const tokenOf = ({ body }: { body: unknown }) => z.object({ token: z.string() }).parse(body).token;

/** Finds the invited person in a list. */
const found = <One extends { email: string }>(people: readonly One[]) =>
  people.find((one) => one.email === email);

/** Starts an app with a worker that sends email, and an owner who can invite. */
async function startMailing() {
  const app = await startApp();
  // The worker uses the machine's clock.
  app.clock.catchUp();
  const mail = await startMailServer();
  const worker = await startTestWorker(app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL('https://creators.example'),
  });
  const owner = await app.seed.person('owner');
  const { people } = ownerClient(app.baseUrl, owner.token).studio;
  return {
    app,
    mail,
    people,
    /** Invites a person. Returns the text of the email and the token that it contains. */
    async invited(role: 'editor' | 'support' = 'editor') {
      const count = mail.mails.length;
      const { id } = await people.invite.mutate({ email: 'Grace@Example.com', role });
      await eventually(() => mail.mails.length > count);
      const text = (mail.mails.at(-1)?.raw ?? '').replaceAll('=\r\n', '');
      const [, token = ''] =
        /https:\/\/creators\.example\/studio\/invitation#(svc_invite_\w{43})/.exec(text) ?? [];
      return { id, text, token };
    },
    accept: (body: object, options = {}) => app.post(at, { body, ...options }),
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await mail.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

test('an invited person joins through the emailed link, with the role of the invitation', async () => {
  await using site = await startMailing();
  const { id, text, token } = await site.invited('support');
  expect(site.mail.mails.map(({ to }) => to)).toEqual([[email]]);
  expect(text).toContain('Olive Owner invites you to work on A site as support');
  const waiting = found((await site.people.list.query()).data);
  expect(waiting).toMatchObject({ id, state: 'invited', email, name: '', role: 'support' });
  const session = tokenOf(await site.accept({ token, ...newcomer }));
  const { data } = await site.people.list.query();
  expect(found(data)).toMatchObject({ state: 'active', name: newcomer.name, role: 'support' });
  const { studio } = ownerClient(site.app.baseUrl, session);
  await studio.members.list.query({});
  expect(await refusal(studio.people.list.query())).toMatchObject({ code: 'insufficient_role' });
  const login = { email, password: newcomer.password };
  expect((await site.app.post('/api/admin/session', { body: login })).status).toBe(201);
});

test('an invitation link works once, and a repetition with the same idempotency key is replayed', async () => {
  await using app = await startApp();
  const token = await makeInvitationToken(app, email);
  const accept = (headers = {}) => app.post(at, { body: { token, ...newcomer }, headers });
  const first = await accept({ 'idempotency-key': 'once' });
  expect(first.status).toBe(201);
  const again = await accept({ 'idempotency-key': 'once' });
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  expect(await accept()).toEqual(spent);
  expect(await accept({ 'idempotency-key': 'another' })).toEqual(spent);
});

test('of concurrent requests that accept one invitation, one succeeds', async () => {
  await using app = await startApp();
  const token = await makeInvitationToken(app, email);
  const answers = [1, 2, 3, 4].map(() => app.post(at, { body: { token, ...newcomer } }));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(await app.deps.database.em.execute('select email from people')).toEqual([{ email }]);
});

test('an invitation link ends when it expires, is replaced or revoked; a changed token is refused', async () => {
  await using site = await startMailing();
  const replaced = await site.invited();
  const latest = await site.invited();
  const late = async (token: string) => expect(await site.accept({ token, ...newcomer })).toEqual(spent);
  await late(replaced.token);
  await late(latest.token.slice(0, -1) + (latest.token.endsWith('a') ? 'b' : 'a'));
  await late('');
  await site.people.remove.mutate({ id: latest.id });
  await late(latest.token);
  expect((await site.people.list.query()).data).toHaveLength(1);
  const { token } = await site.invited();
  site.app.clock.advance({ days: 7 });
  await late(token);
});

test('an invitation link is unknown at the domain of another site', async () => {
  await using app = await startApp();
  await app.seed.ownSite();
  await app.seed.site({ custom_domain: 'another.example.com' });
  const body = { token: await makeInvitationToken(app, email), ...newcomer };
  expect(await app.atHost('another.example.com', 'POST', at, { body })).toEqual(spent);
  expect((await app.atHost('localhost', 'POST', at, { body })).status).toBe(201);
});

test('a person with an account accepts while signed in, keeps the password, and works on both sites', async () => {
  await using app = await startApp();
  const login = await app.seed.owner(await app.seed.site());
  const token = await makeInvitationToken(app, login.email, 'author');
  const exists = failure(409, 'account_exists', 'this email address has an account: sign in with it first');
  expect(await app.post(at, { body: { token, ...newcomer } })).toEqual(exists);
  const anybody = await app.seed.person('owner');
  const another = failure(401, 'unauthorized', 'sign in with the account of the invited email address');
  expect(await app.post(at, { body: { token } })).toEqual(failure(401, 'unauthorized'));
  expect(await app.post(at, { body: { token }, key: anybody.token })).toEqual(another);
  const key = tokenOf(await app.post('/api/admin/session', { body: login }));
  const session = tokenOf(await app.post(at, { body: { token }, key }));
  const created = await ownerClient(app.baseUrl, session).studio.posts.create.mutate({ title: 'Mine' });
  const { body } = await app.get('/api/admin/session', { key: session });
  expect(body).toMatchObject({ site: { id: await app.seed.ownSite() }, owner: { email: login.email } });
  expect(created.id).toEqual(expect.any(String));
  expect((await app.get('/api/admin/session', { key })).status).toBe(200);
});

test('a person who accepts an invitation must give both name and password, or neither', async () => {
  await using app = await startApp();
  const token = await makeInvitationToken(app, email);
  for (const body of [
    { token, name: 'Grace' },
    { token, password: newcomer.password },
  ])
    expect(await app.post(at, { body })).toEqual(
      failure(400, 'validation_failed', 'must contain both `name` and `password`, or neither'),
    );
});

test('a person who already works on the site cannot be invited', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const { people } = ownerClient(app.baseUrl, owner.token).studio;
  expect(await refusal(people.invite.mutate({ email: owner.email, role: 'editor' }))).toEqual({
    code: 'validation_failed',
    message: 'email: already has a role on this site',
  });
});

test('the role of an invitation can be changed until it is accepted', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const { people } = ownerClient(app.baseUrl, owner.token).studio;
  const token = await makeInvitationToken(app, email);
  const waiting = found((await people.list.query()).data);
  await people.update.mutate({ id: waiting?.id ?? '', role: 'support' });
  await app.post(at, { body: { token, ...newcomer } });
  const { data } = await people.list.query();
  expect(found(data)).toMatchObject({ role: 'support' });
});

test('one email address gets at most five invitations a day from all sites together', async () => {
  await using app = await startLimited();
  const people = [];
  for (const siteId of [await app.seed.ownSite(), await app.seed.site()]) {
    const { token } = await app.seed.person('owner', siteId);
    people.push(ownerClient(app.baseUrl, token).studio.people);
  }
  const [ours, theirs] = people;
  for (let n = 0; n < 3; n++) await ours?.invite.mutate({ email, role: 'editor' });
  for (let n = 0; n < 2; n++) await theirs?.invite.mutate({ email, role: 'editor' });
  expect(await refusal(Promise.resolve(ours?.invite.mutate({ email, role: 'editor' })))).toMatchObject({
    code: 'rate_limited',
  });
  await ours?.invite.mutate({ email: 'another@example.com', role: 'editor' });
});
