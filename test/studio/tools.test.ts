import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp } from '../support/app.ts';
import { signIn } from '../support/studio.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { createVisitor } from '../support/visitor.ts';
import { buildStudio, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an API key can be created, used, rotated, switched off and deleted', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/tools/api-keys');
  const read = (key: string) => app.get('/api/v1/posts', { key });

  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Fill in this field.').waitFor();
  await page.getByText('Choose at least one').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Static site');
  await page.getByRole('checkbox', { name: 'read', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('it is shown only once').waitFor();
  const key = (await page.locator('[role=dialog] pre').textContent()) ?? '';
  expect(await read(key)).toMatchObject({ status: 200 });
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for Static site' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Rotate');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('The previous secret works until').waitFor();
  const rotated = (await page.locator('[role=dialog] pre').last().textContent()) ?? '';
  expect(rotated).not.toBe(key);
  expect(await Promise.all([read(key), read(rotated)])).toMatchObject([{ status: 200 }, { status: 200 }]);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  await act('Switch off');
  await page.getByText('“Static site” disabled').waitFor();
  expect(await read(rotated)).toMatchObject({ status: 403, body: { error: { code: 'key_disabled' } } });
  await act('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  expect(await read(rotated)).toMatchObject({ status: 401 });
  expect(faults).toEqual([]);
});

test('leaving a time input by Tab keeps the focus at its target, however late the dialog checks it', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/tools/api-keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-autofocus]:focus').waitFor();
  await dialog.getByLabel('Expires').focus();
  const letGo = await page.evaluateHandle(() => {
    const held: (() => void)[] = [];
    const { setTimeout } = window;
    Object.assign(window, {
      setTimeout: (work: () => void, ms?: number) => (ms ? setTimeout(work, ms) : held.push(work)),
    });
    return () => {
      Object.assign(window, { setTimeout });
      for (const work of held) work();
    };
  });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  while ((await focused()) !== 'Create key') await page.keyboard.press('Tab');
  await letGo.evaluate((release) => release());
  expect(await focused()).toBe('Create key');
  expect(faults).toEqual([]);
});

test('a webhook can be added, tested with its answer shown, and switched off and on', async () => {
  let status = 204;
  await using receiver = await startReceiver({ answer: (_, response) => response.writeHead(status).end() });
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } });
  const { page, faults } = await browser.open();
  await signIn(app, page, '/tools/webhooks');

  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  await page.getByRole('textbox', { name: 'Address' }).fill('http://hooks.example.com');
  await page.getByRole('checkbox', { name: 'content.published' }).click();
  const add = page.getByRole('dialog').getByRole('button', { name: 'Add webhook' });
  await add.click();
  await page
    .getByRole('dialog')
    .getByText(/must|https:/)
    .last()
    .waitFor();
  await takeRefusal(faults, 400);
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await add.click();
  await page.getByText('The receiver verifies signatures with it').waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByRole('link', { name: receiver.url.replace('https://', '') }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test delivered').waitFor();
  await page.getByText(/^Answered 2\d\d after/).waitFor();
  await page.keyboard.press('Escape');
  const deliveries = page.getByRole('table', { name: 'Deliveries' });
  await deliveries.getByText('Delivered').waitFor();

  status = 500;
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Answered 500 after').waitFor();
  await page.keyboard.press('Escape');
  await deliveries.getByText('500 · Answered with an error').waitFor();

  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await page.getByText('Webhook disabled').waitFor();
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('Webhook enabled').waitFor();
  expect(faults).toEqual([]);
});

test('an assistant’s snippet contains its key, and the switch shuts out all assistants', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/tools/assistants');

  await page.getByRole('button', { name: 'Create a key' }).click();
  const snippet = page.locator('pre').filter({ hasText: 'svc_live_' }).first();
  await snippet.waitFor();
  const { mcpServers } = JSON.parse((await snippet.textContent()) ?? '');
  const { url, headers } = mcpServers['my-site'];
  const request = () =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
  expect((await request()).status).toBe(200);

  await page.getByRole('switch', { name: 'Assistants allowed' }).click();
  await page.getByText('All assistants blocked').waitFor();
  expect((await request()).status).toBe(403);
  expect(faults).toEqual([]);
});

test('a chosen theme shows in the owner’s preview immediately, and to visitors once it is saved', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  await signIn(app, page, '/settings');
  const preview = page.frameLocator('iframe[title="Home page with this design"]');
  await preview.locator('html.auto').waitFor();
  await page.getByRole('combobox', { name: 'Color scheme' }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await preview.locator('html.dark').waitFor();
  const colour = (css: string) =>
    preview.locator('body').evaluate((body, name) => getComputedStyle(body)[name as 'color'], css);
  expect([await colour('backgroundColor'), await colour('fontFamily')]).toEqual([
    'rgb(20, 19, 17)',
    expect.stringContaining('Newsreader'),
  ]);
  expect((await createVisitor(app.baseUrl)('/')).text.includes('class="dark"')).toBe(false);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  expect((await createVisitor(app.baseUrl)('/')).text).toContain('class="dark"');
  expect(faults).toEqual([]);
});
