import { expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { createVisitor } from '../support/visitor.ts';

test('a visitor of the example site buys its course, takes it from the start to the certificate, and sees it in the account', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ smtpUrl: mail.url, config: { countsTest: true } });
  await fillWithExample(app.deps, await app.seed.ownSite());
  const visit = createVisitor(app.baseUrl);
  const path = '/courses/postgresql-for-people-who-ship';
  const follow = async (from: string, form: Record<string, string>) => {
    const { status, headers } = await visit(from, { form });
    expect([from, status]).toEqual([from, 303]);
    return String(headers.location);
  };
  const closed = (await visit(path)).text;
  const [, preview = ''] = /href="([^"]*)">A slow query/.exec(closed) ?? [];
  expect((await visit(preview)).text).toContain('Start with the people who wait.');
  const [, offer = ''] = /href="(\/buy\/\w+)">Buy for/.exec(closed) ?? [];
  const payment = await follow(offer, { email: 'ines@example.com' });
  const thanks = await follow(payment, {});
  await visit(`${thanks}/sign-in`, { form: { send: 'yes' } });
  expect(await follow(`${thanks}/sign-in`, { code: mail.codeFor('ines@example.com') })).toBe(path);
  expect((await visit(path)).text).toContain('0 of 7 lessons done');
  let lesson = await follow(`${path}/begin`, {});
  for (let done = 0; done < 7; done += 1) {
    expect((await visit(lesson)).text).toContain(`Lesson ${done + 1} of 7`);
    lesson = await follow(lesson, { action: 'done' });
  }
  expect(lesson).toBe(path);
  const certificate = await follow(`${path}/certificate`, { name: 'Ines Okafor' });
  expect((await createVisitor(app.baseUrl)(certificate)).text).toContain('Ines Okafor');
  expect((await visit('/account')).text).toContain(`href="${certificate}"`);
});
