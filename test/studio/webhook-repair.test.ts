import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner sees deliveries with their failures, repeats one, replays missed events and rotates the secret', async () => {
  let status = 503;
  await using receiver = await startReceiver({ answer: (_, response) => response.writeHead(status).end() });
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } });
  await using _worker = await startTestWorker(app, { retrySeconds: [] });
  const { page, faults } = await browser.open();
  const key = await app.seed.ownerToken();
  const body = { url: receiver.url, events: ['content.created'] };
  const { id } = (await app.post('/api/admin/webhooks', { key, body })).body as { id: string };
  const writer = await app.seed.key();
  await app.post('/api/v1/posts', { key: writer, body: { title: 'Missed at first' } });
  await eventually(() => receiver.requests.length === 1);
  await signIn(app, page, `/tools/webhooks/${id}`);

  await page.getByRole('button', { name: 'Show what was sent: content.created' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Missed at first').waitFor();
  await dialog.getByText('503 · Answered with an error').waitFor();
  expect(await findViolations(page)).toEqual([]);
  status = 204;
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await dialog.getByText('2, by hand').waitFor();
  await dialog.getByText('204').waitFor();
  expect(receiver.requests).toHaveLength(2);
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await page.getByText('No deliveries with this status').waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Delivered' }).click();
  await page.getByRole('button', { name: 'Show what was sent: content.created' }).waitFor();
  expect(new URL(page.url()).search).toBe('?status=delivered');

  const act = async (action: string) => {
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Send missed events');
  await dialog.getByRole('checkbox', { name: 'Include delivered events' }).click();
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sending 1 event').waitFor();
  await eventually(() => receiver.requests.length === 3);

  await act('Rotate secret');
  await dialog.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('The previous secret is also used for signatures until').waitFor();
  expect(await page.locator('[role=dialog] pre').last().textContent()).toMatch(/^whsec_/);
  expect(faults).toEqual([]);
});

test('wildcards of a subscription made through the API are shown, and kept until other events are selected', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const key = await app.seed.key({ scopes: ['webhooks'] });
  const body = {
    url: 'https://hooks.example.com/a',
    events: ['content.*', 'analytics.*', 'course.enrolled'],
  };
  const { id } = (await app.post('/api/v2/webhooks', { key, body })).body as { id: string };
  const token = await signIn(app, page, `/tools/webhooks/${id}`);
  const read = async () => (await ownerClient(app.baseUrl, token).admin.webhooks.list.query()).data[0];
  const dialog = page.getByRole('dialog');
  const edit = async () => {
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByText('Registered for content.*, analytics.*').waitFor();
  };
  const save = async () => {
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  const ticked = () =>
    dialog.locator('input:checked').evaluateAll((all) => all.map((box) => box.getAttribute('value')));

  await edit();
  expect(await ticked()).toEqual([
    'content.created',
    'content.updated',
    'content.deleted',
    'content.published',
    'course.enrolled',
  ]);
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://hooks.example.com/b');
  await save();
  expect(await read()).toMatchObject({ url: 'https://hooks.example.com/b', events: body.events });

  await edit();
  await dialog.getByRole('checkbox', { name: 'content.deleted' }).click();
  await save();
  expect(await read()).toMatchObject({
    events: ['content.created', 'content.updated', 'content.published', 'course.enrolled'],
  });
  expect(faults).toEqual([]);
});
