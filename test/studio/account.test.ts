import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { openScreen, signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner who forgot the password requests a link, sets a new password by it and signs in', async () => {
  await using app = await startApp();
  app.clock.catchUp();
  await using mail = await startMailServer();
  await using _worker = await startTestWorker(app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL(app.baseUrl),
  });
  const { email } = await app.seed.owner();
  const { page, faults } = await browser.open();
  await page.goto(`${app.baseUrl}/studio`);
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Email').fill(email);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.getByRole('status').filter({ hasText: email }).waitFor();

  await eventually(() => mail.mails.length > 0);
  const link = /http:\S+\/studio\/new-password#\S+/.exec(
    (mail.mails[0]?.raw ?? '').replaceAll('=\r\n', ''),
  )?.[0];
  await page.goto(link ?? '');
  await page.getByRole('textbox', { name: 'New password' }).fill('a rather new password');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill('a rather new password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(faults).toEqual([]);

  await page.goto(link ?? '');
  await page.getByRole('textbox', { name: 'New password' }).fill('yet another password');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.getByRole('alert').filter({ hasText: 'Request a new one' }).waitFor();
  await takeRefusal(faults, 401);
  expect(faults).toEqual([]);
});

test('an owner changes their name on the account page, and the menu shows it immediately', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/account', await app.seed.owner());
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Grace Bell');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('button', { name: 'Grace Bell' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('a query made during a write is repeated after it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const renamed = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  await page.route(
    '**/trpc/*admin.session.get*',
    async (route) => {
      const before = await route.fetch();
      first.resolve();
      await renamed.promise;
      await route.fulfill({ response: before });
    },
    { times: 1 },
  );
  await signIn(app, page, '/account', await app.seed.owner());
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Grace Bell');
  await first.promise;
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  renamed.resolve();
  await page.getByRole('button', { name: 'Grace Bell' }).waitFor();
  expect(faults).toEqual([]);
});

test('an owner changes the email address on the account page, and confirms it by the link sent to the new one', async () => {
  await using app = await startApp();
  app.clock.catchUp();
  await using mail = await startMailServer();
  await using _worker = await startTestWorker(app, {
    mail: createMailTransport(mail, 'no-reply@example.com', captureLog().logger),
    publicUrl: new URL(app.baseUrl),
  });
  const login = await app.seed.owner();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/account', login);
  await page.getByText(`You sign in with ${login.email}`).waitFor();
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByRole('textbox', { name: 'New address' }).fill('new@example.com');
  await page.getByRole('textbox', { name: 'Current password' }).last().fill('not the password');
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.getByText('This is not your password.').waitFor();
  await takeRefusal(faults, 400);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Current password' }).last().fill(login.password);
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.getByRole('status').filter({ hasText: 'new@example.com' }).waitFor();

  await eventually(() => mail.mails.length > 0);
  const raw = (mail.mails[0]?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  await page.goto(/http:\S+\/studio\/new-email#\S+/.exec(raw)?.[0] ?? '');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Confirm address' }).click();
  await page.getByRole('status').filter({ hasText: 'confirmed' }).waitFor();
  await page.getByRole('link', { name: 'Go to the studio' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${app.baseUrl}/studio/account`);
  await page.getByText('You sign in with new@example.com').waitFor();
  expect(faults).toEqual([]);
});

test('an owner changes the password on the account page, which ends all other sessions', async () => {
  await using app = await startApp();
  const login = await app.seed.owner();
  const elsewhere = await app.post('/api/admin/session', { body: login });
  const { token } = elsewhere.body as { token: string };
  const { page, faults } = await browser.open();
  await signIn(app, page, '/', login);
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
  await rows.nth(1).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await rows.nth(1).waitFor({ state: 'detached' });
  expect((await app.get('/api/admin/session', { key: token })).status).toBe(401);

  await page.getByRole('textbox', { name: 'Current password' }).fill('not the password');
  await page.getByRole('textbox', { name: 'New password' }).fill('a rather new password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('This is not your password.').waitFor();
  await takeRefusal(faults, 400);
  await app.post('/api/admin/session', { body: login });
  await openScreen(page, '/');
  await openScreen(page, '/account');
  await rows.nth(1).waitFor();
  await page.getByRole('textbox', { name: 'Current password' }).fill(login.password);
  await page.getByRole('textbox', { name: 'New password' }).fill('a rather new password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('You are signed out everywhere else.').waitFor();
  await rows.nth(1).waitFor({ state: 'detached' });
  const body = { ...login, password: 'a rather new password' };
  expect((await app.post('/api/admin/session', { body })).status).toBe(201);
  expect(faults).toEqual([]);
});
