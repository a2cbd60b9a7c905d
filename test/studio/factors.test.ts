import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { addApp as addAppOf, codeAt } from '../support/factors.ts';
import { makeInvitationToken } from '../support/mailed-tokens.ts';
import { ownerClient } from '../support/rpc.ts';
import { wholeScreen } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

interface Login {
  email: string;
  password: string;
}

/** Passkeys require a host name. */
const studioOf = (app: TestApp) => `${app.baseUrl.replace('127.0.0.1', 'localhost')}/studio`;

/** Opens the studio with a virtual device that creates and confirms passkeys. */
async function openStudio(app: TestApp) {
  const { page, context } = await browser.open();
  const login = await app.seed.owner();
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  const confirms = (enabled: boolean) =>
    device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  await page.goto(studioOf(app));
  return { page, context, login, confirms };
}

async function typePassword(page: Page, { email, password }: Login) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function leave(page: Page) {
  await page.getByRole('button', { name: 'Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

async function signOut(page: Page) {
  await leave(page);
  await page.getByRole('heading', { name: 'Sign in to your studio' }).waitFor();
}

const isIn = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor();

const openAccount = async (app: TestApp, page: Page) => {
  await page.goto(`${studioOf(app)}/account`);
  await wholeScreen(page);
};

/** Returns the current code of an authenticator app. A code is valid once, so half a minute passes first. */
function codeOf(app: TestApp, secret: string): string {
  app.clock.advance({ seconds: 30 });
  return codeAt(secret, app.clock.now());
}

/** Adds an authenticator app on the account page; returns its secret and the recovery codes. */
async function addApp(app: TestApp, page: Page, { password }: Login) {
  await openAccount(app, page);
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = (await dialog.locator('pre').textContent()) ?? '';
  await dialog.getByRole('textbox', { name: 'Six-digit code' }).fill(codeOf(app, secret));
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  const codes = await dialog.getByRole('listitem').allTextContents();
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await dialog.waitFor({ state: 'detached' });
  return { secret, codes };
}

async function addPasskey(page: Page, { password }: Login) {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(password);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Laptop');
  await dialog.getByRole('button', { name: 'Continue' }).click();
}

test('an owner adds an authenticator app, and signs in with the password and a code or a recovery code', async () => {
  await using app = await startApp();
  const { page, context, login } = await openStudio(app);
  await typePassword(page, login);
  await isIn(page);
  await openAccount(app, page);
  await page.getByText('your password is enough to sign in').waitFor();
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Current password' }).fill('not the password');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('This is not your password.').waitFor();
  await dialog.getByRole('textbox', { name: 'Current password' }).fill(login.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('img', { name: 'QR code' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Six-digit code' }).fill('000000');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('Wrong code.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });

  const { secret, codes } = await addApp(app, page, login);
  expect(codes).toHaveLength(10);
  await page.getByRole('table', { name: 'Second factor' }).getByText('Phone').waitFor();
  await page.getByText('10 recovery codes left').waitFor();
  await wholeScreen(page);
  expect(await findViolations(page)).toEqual([]);

  await signOut(page);
  await typePassword(page, login);
  const code = page.getByRole('textbox', { name: 'Code from your authenticator app' });
  await code.fill('000000');
  await page.getByText('Wrong code.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await code.fill(codeOf(app, secret));
  await isIn(page);

  await signOut(page);
  await typePassword(page, login);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await isIn(page);
  await openAccount(app, page);
  await page.getByText('9 recovery codes left').waitFor();
  await page.getByRole('button', { name: 'Create new codes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click();
  const renewed = page.getByRole('dialog').getByRole('listitem');
  await renewed.first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await renewed.allTextContents()).not.toEqual(expect.arrayContaining([codes[1]]));
  await context.close();
});

test('a user who takes too long for the second step returns to the password with an explanation', async () => {
  await using app = await startApp();
  const { page, context, login } = await openStudio(app);
  await typePassword(page, login);
  await isIn(page);
  const { secret } = await addApp(app, page, login);
  await signOut(page);
  await typePassword(page, login);
  const code = page.getByRole('textbox', { name: 'Code from your authenticator app' });
  await code.waitFor();
  app.clock.advance({ minutes: 6 });
  await code.fill(codeOf(app, secret));
  await page.getByRole('alert').filter({ hasText: 'Too slow or too many attempts' }).waitFor();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await code.fill(codeOf(app, secret));
  await isIn(page);
  await context.close();
});

test('a passkey works as second factor and alone, by its button and by autofill', async () => {
  await using app = await startApp();
  const { page, context, login, confirms } = await openStudio(app);
  await typePassword(page, login);
  await isIn(page);
  await openAccount(app, page);
  await addPasskey(page, login);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  const row = page
    .getByRole('table', { name: 'Second factor' })
    .getByRole('row')
    .filter({ hasText: 'Laptop' });
  await row.getByText('Passkey').waitFor();

  await confirms(false);
  await signOut(page);
  await typePassword(page, login);
  await page.getByText('Confirm with your passkey in the browser’s dialog.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await confirms(true);
  await page.getByRole('button', { name: 'Use your passkey' }).click();
  await isIn(page);

  await confirms(false);
  await signOut(page);
  await wholeScreen(page);
  await confirms(true);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await isIn(page);

  await openAccount(app, page);
  await leave(page);
  await isIn(page);

  await openAccount(app, page);
  await row.getByRole('button', { name: 'Actions for Laptop' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const naming = page.getByRole('dialog');
  await naming.getByRole('textbox', { name: 'Name' }).fill('Old laptop');
  await naming.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Actions for Old laptop' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('your password is enough to sign in. With').waitFor();
  await confirms(false);
  await signOut(page);
  await typePassword(page, login);
  await isIn(page);
  await context.close();
});

test('a sensitive action waits for a proof and then continues with its values; without a proof nothing changes', async () => {
  await using app = await startApp();
  const { page, context, login } = await openStudio(app);
  await typePassword(page, login);
  await isIn(page);
  const { secret } = await addApp(app, page, login);
  app.clock.advance({ minutes: 11 });

  await page.goto(`${studioOf(app)}/tools/api-keys`);
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create key' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Static site');
  await form.getByRole('checkbox', { name: 'read', exact: true }).click();
  await form.getByRole('button', { name: 'Create key' }).click();
  const proof = page.getByRole('dialog', { name: 'Confirm your identity' });
  const code = proof.getByRole('textbox', { name: 'Code from your authenticator app' });
  await code.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await proof.waitFor({ state: 'detached' });
  await form.getByText('so nothing was changed').waitFor();
  expect(await form.getByText('The last request got no answer').count()).toBe(0);
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Static site');

  await form.getByRole('textbox', { name: 'Name' }).fill('Static site of mine');
  await form.getByRole('button', { name: 'Create key' }).click();
  await code.fill('000000');
  await proof.getByText('Wrong code.').waitFor();
  await code.fill(codeOf(app, secret));
  await page.getByText('it is shown only once').waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Static site of mine' });
  await row.waitFor();

  // The proof is still valid.
  await page.getByRole('button', { name: 'Actions for Static site of mine' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });

  app.clock.advance({ minutes: 11 });
  await openAccount(app, page);
  await page.getByRole('button', { name: 'Actions for Phone' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await code.fill(codeOf(app, secret));
  await page.getByText('your password is enough to sign in. With').waitFor();
  await context.close();
});

test('a user with a second factor and several sites proves it before accepting an invitation and before choosing a site', async () => {
  await using app = await startApp();
  const login = await app.seed.owner(await app.seed.site({ subdomain: 'lighthouse' }));
  const { body } = await app.post('/api/admin/session', { body: login });
  const { token } = body as { token: string };
  const { code } = await addAppOf(app, { login, token, studio: ownerClient(app.baseUrl, token).studio });
  const { page, context } = await browser.open();
  const giveCode = () => page.getByRole('textbox', { name: 'Code from your authenticator app' }).fill(code());
  await page.goto(`${studioOf(app)}/invitation#${await makeInvitationToken(app, login.email, 'support')}`);
  await page.getByRole('button', { name: 'I already have an account' }).click();
  await page.getByLabel('Email').fill(login.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password);
  await page.getByRole('button', { name: 'Accept' }).click();
  await giveCode();
  await isIn(page);

  await signOut(page);
  app.clock.advance({ seconds: 30 });
  await typePassword(page, login);
  await giveCode();
  await page.getByText('You work on several sites').waitFor();
  await page.getByRole('button', { name: 'A site Support' }).click();
  await isIn(page);
  await context.close();
});
