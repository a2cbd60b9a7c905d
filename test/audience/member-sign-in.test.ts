import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startMailServer, textOf } from '../support/mail-server.ts';
import { anyId } from '../support/matchers.ts';
import { signInByMail } from '../support/members.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

// Members sign in with a code that is sent by email.

const email = 'grace@example.com';
const start = new Date('2026-01-31T09:05:00.123Z');
const wrong = { code: 'unauthorized', message: 'wrong or expired code' };

/** Returns six digits that differ from `code`. */
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function startSite() {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url });
  await app.seed.ownSite();
  const { members } = visitorClient(app.baseUrl).site;
  return {
    ...app,
    mail,
    members,
    signIn: (code: string) => members.signIn.mutate({ email, code }),
    async requestCode(): Promise<string> {
      await members.requestCode.mutate({ email });
      return mail.codeFor(email);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

const rowsOf = (app: TestApp, table: string) => app.deps.database.em.execute(`select * from ${table}`);

test('a sign-in code that was sent before SECRET_KEY changed is refused, and a new one works', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  const sealed = createSecretBox('the key before', randomBytes).seal(code, `any/${email}`);
  await app.deps.database.em.execute('update sign_in_codes set code_sealed = ?', [sealed]);
  expect(await refusal(app.signIn(code))).toMatchObject(wrong);
  expect(await app.signIn(await app.requestCode())).toMatchObject({ member: { email } });
});

test('the first sign-in creates the member, later ones find it', async () => {
  await using app = await startSite();
  expect(await app.members.requestCode.mutate({ email: 'Grace@Example.com', name: 'Grace Lin' })).toEqual({});
  const member = {
    id: anyId,
    email,
    name: 'Grace Lin',
    status: 'active',
    access_tiers: [],
    open_tiers: [],
    created: start,
    updated: start,
    last_seen_at: start,
  };
  const first = await app.signIn(app.mail.codeFor(email));
  expect(first).toEqual({
    token: expect.stringMatching(/^svc_member_[0-9A-Za-z]{43}$/),
    expires_at: new Date('2026-03-02T09:05:00.123Z'),
    member,
  });
  app.clock.advance({ days: 1 });
  const second = await signInByMail(app, app.mail, { email, name: 'Somebody else' });
  expect(second.token).not.toBe(first.token);
  expect(second.member).toEqual({ ...first.member, last_seen_at: app.clock.now() });
});

test('a sign-in code is sent to the given email address only, from the address of the site', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  expect(app.mail.mails).toEqual([{ from: 'site@example.com', to: [email], raw: expect.any(String) }]);
  expect(app.mail.mails[0]?.raw).toContain(`\r\n\r\nYour code is ${code}. It works for 10 minutes.`);
});

test('a sign-in code works once', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  await app.signIn(code);
  expect(await refusal(app.signIn(code))).toEqual(wrong);
});

test('a sign-in code is valid for ten minutes', async () => {
  await using app = await startSite();
  const late = await app.requestCode();
  app.clock.advance({ minutes: 10 });
  expect(await refusal(app.signIn(late))).toEqual(wrong);
  const inTime = await app.requestCode();
  app.clock.advance({ minutes: 9, seconds: 59, ms: 999 });
  expect((await app.signIn(inTime)).member.email).toBe(email);
});

test('a new sign-in code invalidates the previous one', async () => {
  await using app = await startSite();
  const older = await app.requestCode();
  let newer = await app.requestCode();
  while (newer === older) newer = await app.requestCode();
  expect(await refusal(app.signIn(older))).toEqual(wrong);
  expect((await app.signIn(newer)).member.email).toBe(email);
});

test('a sign-in code is valid only for its email address', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  expect(await refusal(app.members.signIn.mutate({ email: 'eve@example.com', code }))).toEqual(wrong);
  expect((await app.signIn(code)).member.email).toBe(email);
});

test('after five wrong codes the right sign-in code is refused, and a new one works', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  for (let tries = 0; tries < 5; tries++) expect(await refusal(app.signIn(another(code)))).toEqual(wrong);
  expect(await refusal(app.signIn(code))).toEqual(wrong);
  expect((await app.signIn(await app.requestCode())).member.email).toBe(email);
});

test('the right code is accepted on the fifth attempt', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  for (let tries = 0; tries < 4; tries++) await refusal(app.signIn(another(code)));
  expect((await app.signIn(code)).member.email).toBe(email);
});

test('of concurrent wrong attempts at most five are counted, and the code is refused afterwards', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  const attempts = Array.from({ length: 20 }, () => refusal(app.signIn(another(code))));
  expect(await Promise.all(attempts)).toEqual(attempts.map(() => wrong));
  expect(await rowsOf(app, 'sign_in_codes')).toEqual([expect.objectContaining({ tries_left: 0 })]);
  expect(await refusal(app.signIn(code))).toEqual(wrong);
  expect(await rowsOf(app, 'members')).toEqual([]);
});

test('of concurrent sign-ins with the same code only one gets a session', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => app.signIn(code)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await rowsOf(app, 'member_sessions')).toHaveLength(1);
  expect(await rowsOf(app, 'members')).toHaveLength(1);
});

test('of sign-in codes that are requested concurrently exactly one is valid', async () => {
  await using app = await startSite();
  await Promise.all(Array.from({ length: 8 }, () => app.members.requestCode.mutate({ email })));
  const codes = app.mail.mails.map(({ raw }) => /\b\d{6}\b/.exec(textOf(raw))?.[0] ?? '');
  expect(codes).toHaveLength(8);
  const outcomes: unknown[] = [];
  for (const code of codes) {
    outcomes.push(await app.signIn(code).catch(() => null));
    await app.deps.database.em.execute('update sign_in_codes set tries_left = 5');
  }
  expect(outcomes.filter((session) => session !== null)).toHaveLength(1);
});

const noCodes = ['12345', '1234567', '12345a', ' 12345', '١٢٣٤٥٦', ''];

test('a sign-in code that is not six digits is invalid', async () => {
  await using app = await startSite();
  for (const code of noCodes) {
    const invalid = { code: 'validation_failed', message: expect.stringMatching(/^code: /) };
    expect([code, await refusal(app.signIn(code))]).toEqual([code, invalid]);
  }
});

const noAddresses = [
  'grace@example.com\r\nBcc: eve@example.com',
  'grace@example.com\nBcc: eve@example.com',
  'grace@example.com\n',
  'grace@example.com%0d%0aBcc:eve@example.com',
  'grace@example.com,eve@example.com',
  'grace@example.com eve@example.com',
  '"Grace" <grace@example.com>',
  '<grace@example.com>',
  'grace@exam\0ple.com',
  'grace',
  '',
  `${'g'.repeat(250)}@example.com`,
];

test('an invalid email address is refused by every procedure, and nothing is sent or stored', async () => {
  await using app = await startSite();
  const { members, newsletter, testimonials } = visitorClient(app.baseUrl).site;
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: course_id } = await owner.studio.courses.create.mutate({ title: 'Course' });
  const bought = { content_type: 'courses', content_id: course_id, amount: 1, currency: 'EUR' } as const;
  for (const address of noAddresses) {
    const answers = await Promise.all([
      refusal(members.requestCode.mutate({ email: address })),
      refusal(members.signIn.mutate({ email: address, code: '123456' })),
      refusal(newsletter.subscribe.mutate({ email: address })),
      refusal(testimonials.submit.mutate({ email: address, name: 'Grace', content: 'Good' })),
      refusal(owner.studio.purchases.record.mutate({ ...bought, buyer_email: address })),
      refusal(owner.studio.enrollments.create.mutate({ course_id, buyer_email: address })),
    ]);
    const invalid = { code: 'validation_failed', message: expect.stringMatching(/^(buyer_)?email: /) };
    expect([address, answers]).toEqual([address, answers.map(() => invalid)]);
  }
  expect(app.mail.mails).toEqual([]);
  for (const table of ['sign_in_codes', 'subscribers', 'testimonials', 'purchases', 'enrollments', 'events'])
    expect(await rowsOf(app, table)).toEqual([]);
});

test('requesting a code gives the same response for a member, a blocked member and a stranger', async () => {
  await using app = await startSite();
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await signInByMail(app, app.mail, { email: 'member@example.com' });
  const { member } = await signInByMail(app, app.mail, { email: 'blocked@example.com' });
  await owner.studio.members.update.mutate({ id: member.id, status: 'blocked' });
  app.mail.mails.length = 0;
  const request = async (address: string) => {
    const answer = await app.post('/trpc/site.members.requestCode', { body: { json: { email: address } } });
    const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(answer.headers);
    return { ...answer, headers };
  };
  const stranger = await request('stranger@example.com');
  expect(stranger).toMatchObject({ status: 200, body: { result: { data: { json: {} } } } });
  expect(await request('member@example.com')).toEqual(stranger);
  expect(await request('blocked@example.com')).toEqual(stranger);
  expect(app.mail.mails.map(({ to }) => to)).toEqual([
    ['stranger@example.com'],
    ['member@example.com'],
    ['blocked@example.com'],
  ]);
  const guess = (address: string) =>
    refusal(app.members.signIn.mutate({ email: address, code: another(app.mail.codeFor(address)) }));
  expect(await guess('stranger@example.com')).toEqual(wrong);
  expect(await guess('member@example.com')).toEqual(wrong);
  expect(await guess('blocked@example.com')).toEqual(wrong);
});

test('a blocked member is refused even with the right code, and their last visit is not updated', async () => {
  await using app = await startSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id } = (await signInByMail(app, app.mail, { email })).member;
  await studio.members.update.mutate({ id, status: 'blocked' });
  const before = await studio.members.get.query({ id });
  app.clock.advance({ hours: 1 });
  expect(await refusal(app.signIn(await app.requestCode()))).toEqual(wrong);
  expect(await studio.members.get.query({ id })).toEqual(before);
  expect(await rowsOf(app, 'member_sessions')).toHaveLength(1);
});

test('if the mail server is unreachable, the response is the same, and the log entry does not contain the code', async () => {
  const lines: string[] = [];
  // Omits the process ID from the log, because it may have six digits, as a code does.
  const logger = pino({ level: 'error', base: null }, { write: (line) => void lines.push(line) });
  const mail = await startMailServer();
  await mail.close();
  await using app = await startApp({ smtpUrl: mail.url, logger });
  await app.seed.ownSite();
  expect(await visitorClient(app.baseUrl).site.members.requestCode.mutate({ email })).toEqual({});
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: 'sending an email failed; it is not retried',
      subject: 'Your sign-in code',
    }),
  ]);
  expect(lines.join()).not.toMatch(/\b\d{6}\b/);
});

test('a sign-in code of one site is not valid on another', async () => {
  await using app = await startSite();
  await app.seed.site({ subdomain: 'here' });
  await app.seed.site({ subdomain: 'there' });
  const here = visitorClient(app.baseUrl, { host: 'here.localhost' }).site.members;
  const there = visitorClient(app.baseUrl, { host: 'there.localhost' }).site.members;
  await here.requestCode.mutate({ email });
  const code = app.mail.codeFor(email);
  expect(await refusal(there.signIn.mutate({ email, code }))).toEqual(wrong);
  expect((await here.signIn.mutate({ email, code })).member.email).toBe(email);
});

test('sign-in codes and session tokens are not stored in plain text', async () => {
  await using app = await startSite();
  const code = await app.requestCode();
  expect(JSON.stringify(await rowsOf(app, 'sign_in_codes'))).not.toContain(code);
  const { token } = await app.signIn(code);
  expect(JSON.stringify(await rowsOf(app, 'member_sessions'))).not.toContain(token.slice(11));
});
