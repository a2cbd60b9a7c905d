import { UnauthorizedError } from '@modelcontextprotocol/client';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, SitePerson } from '../../shared/db/entities/person.ts';
import { Site } from '../../shared/db/entities/site.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addApp } from '../support/factors.ts';
import { makeInvitationToken } from '../support/mailed-tokens.ts';
import { ownerClient } from '../support/rpc.ts';
import { callback, stepsAt } from '../support/sign-in.ts';
import { startSigningIn } from '../support/signing-in.ts';
import { signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** Starts a service and an assistant that connects to it. */
async function start(options: Parameters<typeof startSigningIn>[1] = {}) {
  const app = await startApp();
  const assistant = await startSigningIn(new URL('/mcp', app.baseUrl), options);
  return {
    app,
    assistant,
    async [Symbol.asyncDispose]() {
      await assistant[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Returns a function that counts clicks on pages of the service. */
async function countPresses(context: BrowserContext, { baseUrl }: TestApp) {
  let presses = 0;
  await context.exposeBinding('notePress', ({ frame }) => {
    if (frame.url().startsWith(baseUrl)) presses += 1;
  });
  await context.addInitScript(() =>
    document.addEventListener('click', () => Reflect.get(globalThis, 'notePress')(), true),
  );
  return () => presses;
}

const allow = (page: Page) => page.getByRole('button', { name: 'Allow' }).click();
const back = (page: Page) => page.getByRole('heading', { name: 'Back at the assistant' }).waitFor();
const isRequested = (page: Page) => page.getByRole('heading', { name: 'Connect this assistant?' }).waitFor();
const isOver = (page: Page) => page.getByRole('heading', { name: 'This request has expired' }).waitFor();

/** Creates a user with a role, and returns their login. */
async function comeAs(app: TestApp, role: 'author') {
  const login = { email: 'grace@example.com', password: 'staple battery horse' };
  const token = await makeInvitationToken(app, login.email, role);
  const body = { token, name: 'Grace Bell', password: login.password };
  await app.post('/api/admin/invitations/accept', { body });
  return login;
}

async function typePassword(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('a signed-in user connects an assistant with one click, and it works immediately', async () => {
  await using both = await start();
  const { app, assistant } = both;
  const { page: studio, context, faults } = await browser.open();
  const token = await signIn(app, studio, '/tools/assistants');
  await ownerClient(app.baseUrl, token).studio.posts.create.mutate({ title: 'For assistants' });
  await studio.getByText('No assistants connected yet').waitFor();
  expect(await studio.locator('pre').first().textContent()).toBe(`${app.baseUrl}/mcp`);
  expect(await findViolations(studio)).toEqual([]);

  const presses = await countPresses(context, app);
  const page = await context.newPage();
  await page.goto(await assistant.begin());
  await isRequested(page);
  await page.getByText('This name is not verified').waitFor();
  await page.getByText('a program on this device').waitFor();
  await page.getByText('Olive Owner').waitFor();
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(1);
  await wholeScreen(page);
  expect(await findViolations(page)).toEqual([]);
  await allow(page);
  await back(page);
  // The assistant's own page needs two or three more clicks.
  expect(presses()).toBe(1);

  await assistant.finish(await assistant.answered());
  expect(await assistant.callTool('list_posts')).toMatchObject({ data: [{ title: 'For assistants' }] });
  // The assistant requests the missing permission.
  await expect(assistant.callTool('create_post', { title: 'Written' })).rejects.toThrow(UnauthorizedError);
  await studio.reload();
  const row = studio.getByRole('row').filter({ hasText: 'Claude' });
  await row.getByText('Olive Owner').waitFor();
  await row.getByText('Name not verified').waitFor();
  expect(await findViolations(studio)).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});

test('a signed-out user signs in first, and denies a request with one click, which the assistant is notified of', async () => {
  await using both = await start({ name: 'x'.repeat(100) });
  const { app, assistant } = both;
  const { page, context } = await browser.open();
  await page.goto(await assistant.begin());
  await page.getByRole('heading', { name: 'Sign in to connect an assistant' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await typePassword(page, await app.seed.owner());
  await page.getByText('x'.repeat(100)).waitFor();
  const [deny, allowed] = await Promise.all(
    ['Deny', 'Allow'].map((name) => page.getByRole('button', { name }).boundingBox()),
  );
  expect(deny && { ...deny, x: 0 }).toEqual(allowed && { ...allowed, x: 0 });
  await page.getByRole('button', { name: 'Deny' }).click();
  await back(page);
  expect(Object.fromEntries(await assistant.answered())).toEqual({
    error: 'access_denied',
    iss: app.baseUrl,
  });
  await context.close();
});

test('with several sites and a second factor, a user is moved to the requested site and proves their identity again', async () => {
  // The second site's subdomain needs a host with a name.
  const publicUrl = new URL('http://localhost');
  await using app = await startApp({ config: { publicUrl } });
  publicUrl.port = new URL(app.baseUrl).port;
  const login = await app.seed.owner();
  const { body } = await app.post('/api/admin/session', { body: login });
  const { token } = body as { token: string };
  const { studio } = ownerClient(app.baseUrl, token);
  const { code } = await addApp(app, { login, token, studio });
  const lighthouse = await app.seed.site({ subdomain: 'lighthouse' });
  const em = app.deps.database.em.fork();
  const { id: person_id } = await em.findOneOrFail(Person, { email: login.email });
  await em.insert(SitePerson, { site_id: lighthouse, person_id, role: 'editor', created: app.clock.now() });
  await em.nativeUpdate(Site, lighthouse, { name: 'The lighthouse' });
  const steps = stepsAt(app, { host: `lighthouse.${publicUrl.host}` });
  const client = (await steps.register()).id;
  const request = async () => `${publicUrl.origin}/studio/connect/${(await steps.ask(client)).id}`;

  const { page, context } = await browser.open();
  await page.goto(await request());
  await typePassword(page, login);
  const given = page.getByRole('textbox', { name: 'Code from your authenticator app' });
  await given.fill(code());
  await page.getByRole('button', { name: 'A site Owner' }).click();
  await page.getByText('The lighthouse').waitFor();
  await isRequested(page);

  app.clock.advance({ minutes: 11 });
  await page.route(`${callback}?*`, (route) => route.fulfill({ body: 'back' }));
  await page.goto(await request());
  await allow(page);
  await page.getByRole('dialog', { name: 'Confirm your identity' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await given.fill(code());
  await page.waitForURL(/assistant\.example\/callback\?code=svc_oauth_code_/);
  await context.close();
});

test('the first answer of two tabs counts; in the other tab, and after Back, the request has expired', async () => {
  await using both = await start();
  const { app, assistant } = both;
  const { page: studio, context } = await browser.open();
  await signIn(app, studio, '/tools/assistants');
  const [page, other] = [await context.newPage(), await context.newPage()];
  await page.goto(`${app.baseUrl}/healthz`);
  await page.goto(await assistant.begin());
  await other.goto(page.url());
  await isRequested(other);
  await isRequested(page);
  await allow(page);
  await back(page);
  await page.goBack();
  expect(page.url()).toBe(`${app.baseUrl}/healthz`);
  await allow(other);
  await isOver(other);
  expect(await findViolations(other)).toEqual([]);
  await other.reload();
  await isOver(other);
  await context.close();
});

test('an author cannot grant more than their role allows, and sees only their own assistants', async () => {
  await using both = await start();
  const { app, assistant } = both;
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await owner.posts.create.mutate({ title: 'Public' });
  const { page, context } = await browser.open();
  await page.goto(await assistant.begin());
  await typePassword(page, await comeAs(app, 'author'));
  await isRequested(page);
  await page.getByRole('button', { name: 'More permissions' }).click();
  await page.getByRole('checkbox', { name: 'Write and change your own drafts of posts' }).check();
  expect(await page.getByRole('checkbox', { name: /members|web address/ }).count()).toBe(0);
  await allow(page);
  await back(page);
  await assistant.finish(await assistant.answered());
  expect(await assistant.callTool('update_post', { id, title: 'Changed' })).toMatchObject({
    error: { code: 'insufficient_role' },
  });
  await page.goto(`${app.baseUrl}/studio/tools/assistants`);
  await page.getByRole('row').filter({ hasText: 'Claude' }).waitFor();
  expect(await page.getByRole('switch').count()).toBe(0);
  expect(await page.getByText('Create a key').count()).toBe(0);
  await context.close();
});

test('changed or revoked permissions apply from the next request', async () => {
  await using both = await start();
  const { app, assistant } = both;
  const { page, context } = await browser.open();
  await signIn(app, page, '/tools/assistants');
  await page.goto(await assistant.begin());
  await allow(page);
  await back(page);
  await assistant.finish(await assistant.answered());
  await page.goto(`${app.baseUrl}/studio/tools/assistants`);
  await page.getByRole('button', { name: 'Actions for Claude' }).click();
  await page.getByRole('menuitem', { name: 'Change permissions' }).click();
  await page.getByRole('button', { name: 'More permissions' }).click();
  await page.getByRole('checkbox', { name: 'Write, change, publish and delete your posts' }).check();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Permissions of Claude changed').waitFor();
  expect(await assistant.callTool('create_post', { title: 'Written' })).toMatchObject({
    id: expect.any(String),
  });

  await page.getByRole('button', { name: 'Actions for Claude' }).click();
  await page.getByRole('menuitem', { name: 'End' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByText('No assistants connected yet').waitFor();
  await expect(assistant.callTool('list_posts')).rejects.toMatchObject({ code: 'invalid_grant' });
  await context.close();
});

test('an unknown request shows a calm message, and pages of other origins cannot frame the request page', async () => {
  await using both = await start();
  const { app, assistant } = both;
  const { page, context } = await browser.open();
  await signIn(app, page, '/connect/aaaaaaaaaaaaaaa');
  await isOver(page);
  const framed = async (path: string) => {
    await page.goto(assistant.origin);
    await page.setContent(`<iframe src="${app.baseUrl}${path}"></iframe>`);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/./);
    return page.frames()[1]?.url();
  };
  expect(await framed('/healthz')).toBe(`${app.baseUrl}/healthz`);
  expect(await framed('/studio/connect/aaaaaaaaaaaaaaa')).toBe('chrome-error://chromewebdata/');
  await context.close();
});
