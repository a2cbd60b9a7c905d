import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startApp, type TestApp, unlimited } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { from, limitOf, refused, startLimited } from '../support/limited-app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// docs/reference/rate-limits.md#failed-attempts

const at = '/api/admin/session';
const wrong = failure(401, 'unauthorized', 'wrong email address or password');

/** Number of client addresses in use; each request comes from a new one, so that limits by address do not apply. */
let addresses = 0;
const anywhere = () => {
  addresses += 1;
  return from(`10.0.${addresses >> 8}.${addresses & 255}`);
};

const tryCode = (app: TestApp, email: string, headers: Record<string, string> = {}) =>
  app.post(at, { body: { email, password: 'incorrect horse' }, headers: { ...anywhere(), ...headers } });

/** The cookies that a browser stores from a response. */
const cookieOf = ({ headers }: { headers: Headers }) => ({
  cookie: headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; '),
});

async function signedIn(app: TestApp) {
  const login = await app.seed.owner();
  const logIn = (headers: Record<string, string> = {}) =>
    app.post(at, { body: login, headers: { ...anywhere(), ...headers } });
  const first = await logIn();
  expect(first.status).toBe(201);
  return { login, logIn, cookie: cookieOf(first), setCookie: first.headers.getSetCookie() };
}

test('ten wrong passwords in 15 minutes block an email address for every client, whether it has an account or not', async () => {
  await using app = await startLimited();
  const login = await app.seed.owner();
  for (const email of [login.email, 'nobody@example.com']) {
    for (let n = 0; n < 10; n++)
      expect(await tryCode(app, n % 2 ? email : email.toUpperCase())).toEqual(wrong);
    const closed = await tryCode(app, email);
    expect(closed).toEqual(refused);
    expect([limitOf(closed).limit, closed.headers.get('retry-after')]).toEqual(['10', '900']);
  }
  expect(await app.post(at, { body: login, headers: anywhere() })).toEqual(refused);
  app.clock.advance({ minutes: 15 });
  expect((await app.post(at, { body: login, headers: anywhere() })).status).toBe(201);
});

test('of 40 concurrent wrong passwords, no more than ten are compared', async () => {
  await using app = await startLimited();
  const { email } = await app.seed.owner();
  const answers = await Promise.all(Array.from({ length: 40 }, () => tryCode(app, email)));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(30).fill(429)]);
});

test('correct passwords do not count', async () => {
  await using app = await startLimited();
  const { logIn } = await signedIn(app);
  for (let n = 0; n < 20; n++) expect((await logIn()).status).toBe(201);
});

test('an owner whose email address is blocked by others can sign in with a browser that they used before', async () => {
  await using app = await startLimited();
  const { login, logIn, cookie, setCookie } = await signedIn(app);
  expect(setCookie).toEqual([
    expect.stringMatching(/^browser=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/),
  ]);
  for (let n = 0; n < 10; n++) await tryCode(app, login.email);
  const near = from('192.0.2.7');
  for (let n = 0; n < 4; n++) await tryCode(app, 'nobody@example.com', near);
  expect(await logIn(near)).toEqual(refused);
  expect((await logIn({ ...near, ...cookie })).status).toBe(201);
});

test('wrong passwords from a known browser count for that browser only, ten in 15 minutes', async () => {
  await using app = await startLimited();
  const { login, logIn, cookie } = await signedIn(app);
  for (let n = 0; n < 10; n++) {
    expect(await tryCode(app, login.email, cookie)).toEqual(wrong);
    app.clock.advance({ seconds: 12 });
  }
  expect(await logIn(cookie)).toEqual(refused);
  expect((await logIn()).status).toBe(201);
  app.clock.advance({ minutes: 15 });
  expect((await logIn(cookie)).status).toBe(201);
});

test('a browser is known only for the accounts that signed in with it', async () => {
  await using app = await startLimited();
  const one = await signedIn(app);
  const other = await signedIn(app);
  const both = cookieOf(await other.logIn(one.cookie));
  for (const { login } of [one, other]) for (let n = 0; n < 10; n++) await tryCode(app, login.email);
  expect(await other.logIn(one.cookie)).toEqual(refused);
  app.clock.advance({ minutes: 1 });
  expect((await one.logIn(both)).status).toBe(201);
  expect((await other.logIn(both)).status).toBe(201);
});

test('a browser that is known for another account also counts by address', async () => {
  await using app = await startLimited();
  const { cookie } = await signedIn(app);
  const near = from('192.0.2.8');
  const statuses = [];
  for (let n = 0; n < 3; n++)
    statuses.push((await tryCode(app, `a${n}@example.com`, { ...near, ...cookie })).status);
  app.clock.advance({ seconds: 11 });
  for (let n = 0; n < 2; n++) statuses.push((await tryCode(app, `b${n}@example.com`, near)).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
});

test('a browser cookie with an invalid signature is ignored', async () => {
  await using app = await startLimited();
  const { login, logIn, cookie } = await signedIn(app);
  for (let n = 0; n < 10; n++) await tryCode(app, login.email);
  const [id = '', signature = '', mark = ''] = cookie.cookie.replace('browser=', '').split('.');
  const other = id.startsWith('A') ? `B${id.slice(1)}` : `A${id.slice(1)}`;
  const forged = [
    [other, signature, mark],
    [id, mark, signature],
    [id, signature, signature],
    [id, signature],
    [id, signature, mark, mark, mark, mark, mark],
    [],
  ];
  for (const parts of forged) expect(await logIn({ cookie: `browser=${parts.join('.')}` })).toEqual(refused);
});

test('300 wrong passwords per minute are allowed for all accounts together; known browsers are exempt', async () => {
  await using app = await startApp({
    limits: { ...unlimited, strict: { perMinute: 1_000_000, burst: 1_000_000 } },
    config: { trustProxy: ['127.0.0.0/8'] },
  });
  const { logIn, cookie } = await signedIn(app);
  // Uses up most of the limit without requests: comparing each password would take 30 ms of CPU.
  for (let tried = 0; tried < 270; tried++) await app.deps.limiter.take('guesses_all', '');
  const statuses = [];
  for (let round = 0; round < 4; round++) {
    const attempts = Array.from({ length: 10 }, (_, n) => tryCode(app, `${round}${n}@example.com`));
    statuses.push(...(await Promise.all(attempts)).map(({ status }) => status));
  }
  expect(statuses).toEqual([...Array(30).fill(401), ...Array(10).fill(429)]);
  expect(await logIn()).toEqual(refused);
  expect((await logIn(cookie)).status).toBe(201);
  app.clock.advance({ minutes: 1 });
  expect((await logIn()).status).toBe(201);
});

test('with the strict tier off, wrong passwords do not count', async () => {
  await using app = await startApp();
  const { login, logIn } = await signedIn(app);
  for (let n = 0; n < 15; n++) expect((await tryCode(app, login.email)).status).toBe(401);
  expect((await logIn()).status).toBe(201);
});

test('while many passwords are compared, files can be read', async () => {
  await using app = await startApp();
  const { email } = await app.seed.owner();
  let compared = 0;
  const attempts = Array.from({ length: 40 }, () => tryCode(app, email).then(() => (compared += 1)));
  await Promise.race(attempts);
  await readFile(import.meta.filename);
  expect(compared).toBeLessThan(20);
  await Promise.all(attempts);
});

const email = 'grace@example.com';
const noCode = { code: 'unauthorized', message: 'wrong or expired code' };
const limited = { code: 'rate_limited', message: 'too many requests' };
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function startSite(limits = unlimited) {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url, limits, config: { trustProxy: ['127.0.0.0/8'] } });
  await app.seed.ownSite();
  return {
    ...app,
    mail,
    membersFrom: (headers: Record<string, string> = anywhere()) =>
      visitorClient(app.baseUrl, headers).site.members,
    browser: () => createVisitor(app.baseUrl),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

test('on the site, another visitor cannot use up a member’s attempts or replace their code', async () => {
  await using app = await startSite();
  const [member, stranger] = [app.browser(), app.browser()];
  await member('/sign-in', { form: { email } });
  const code = app.mail.codeFor(email);
  for (let n = 0; n < 6; n++) await stranger('/sign-in', { form: { email, code: another(code) } });
  await stranger('/sign-in', { form: { email } });
  for (let n = 0; n < 6; n++) await stranger('/sign-in', { form: { email, code: another(code) } });
  expect((await stranger('/sign-in', { form: { email, code } })).status).toBe(400);
  const entered = await member('/sign-in', { form: { email, code } });
  expect([entered.status, entered.headers.location]).toEqual([303, '/account']);
});

test('over RPC, a code that was requested with a challenge works only with that challenge', async () => {
  await using app = await startSite();
  const members = app.membersFrom();
  const challenge = 'q2Zb7dJx0VtR5uLm';
  expect(await members.requestCode.mutate({ email, challenge })).toEqual({});
  const code = app.mail.codeFor(email);
  for (const given of [{}, { challenge: 'q2Zb7dJx0VtR5uLn' }]) {
    for (let n = 0; n < 6; n++)
      expect(await refusal(members.signIn.mutate({ email, code, ...given }))).toEqual(noCode);
    await members.requestCode.mutate({ email, ...given });
  }
  expect((await members.signIn.mutate({ email, code, challenge })).member.email).toBe(email);
});

test.for(['short', 'a'.repeat(101), 'with blanks in between', ''])(
  'a challenge such as %j is refused because of its length or characters',
  async (challenge) => {
    await using app = await startSite();
    const invalid = { code: 'validation_failed', message: expect.stringMatching(/^challenge: /) };
    expect(await refusal(app.membersFrom().requestCode.mutate({ email, challenge }))).toEqual(invalid);
  },
);

test('an email address gets twenty codes in 24 hours, and more in a browser that its member signed in with', async () => {
  await using app = await startSite({});
  const member = app.browser();
  await member('/sign-in', { form: { email } });
  await member('/sign-in', { form: { email, code: app.mail.codeFor(email) } });
  for (let n = 1; n < 20; n++) {
    app.clock.advance({ minutes: 1 });
    expect(await app.membersFrom().requestCode.mutate({ email })).toEqual({});
  }
  app.clock.advance({ hours: 20 });
  expect(await refusal(app.membersFrom().requestCode.mutate({ email }))).toEqual(limited);
  expect((await app.browser()('/sign-in', { form: { email }, headers: anywhere() })).status).toBe(429);
  expect((await member('/sign-in', { form: { email } })).status).toBe(200);
  expect((await member('/sign-in', { form: { email, code: app.mail.codeFor(email) } })).status).toBe(303);
  app.clock.advance({ hours: 4 });
  expect(await app.membersFrom().requestCode.mutate({ email })).toEqual({});
});

test('an email address gets forty codes in 24 hours from all sites together, regardless of its plus suffix', async () => {
  await using app = await startSite({});
  const request = async (n: number) => {
    const host = `site-${n}.example.com`;
    await app.seed.site({ custom_domain: host });
    const body = { json: { email: n % 2 === 0 ? email : email.replace('@', `+${n}@`) } };
    const headers = { host, ...anywhere() };
    return (await app.post('/trpc/site.members.requestCode', { headers, body })).status;
  };
  for (let n = 0; n < 40; n++) expect([n, await request(n)]).toEqual([n, 200]);
  expect(await request(40)).toBe(429);
  app.clock.advance({ hours: 24 });
  expect(await request(41)).toBe(200);
});

test('ten wrong codes in 15 minutes block an email address; attempts without a pending code do not count', async () => {
  await using app = await startSite({});
  const challenge = 'q2Zb7dJx0VtR5uLm';
  const tryCode = async (code: string) =>
    (await refusal(app.membersFrom().signIn.mutate({ email, code, challenge }))).code;
  for (let n = 0; n < 30; n++) expect(await tryCode('123456')).toBe('unauthorized');
  const codes = [];
  for (let round = 0; round < 3; round++) {
    await app.membersFrom().requestCode.mutate({ email, challenge });
    const wrong = another(app.mail.codeFor(email));
    for (let n = 0; n < 5; n++) codes.push(await tryCode(wrong));
  }
  expect(codes).toEqual([...Array(10).fill('unauthorized'), ...Array(5).fill('rate_limited')]);
  app.clock.advance({ minutes: 15 });
  await app.membersFrom().requestCode.mutate({ email, challenge });
  const code = app.mail.codeFor(email);
  expect((await app.membersFrom().signIn.mutate({ email, code, challenge })).member.email).toBe(email);
});
