import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeEntry } from '../../server/api/calls/audit.ts';
import { startApp } from '../support/app.ts';
import { makeInvitationToken } from '../support/mailed-tokens.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner sees all administrative actions with their authors, newest first', async () => {
  await using app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] } });
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/tools/activity', await app.seed.owner());
  const later = () => app.clock.advance({ minutes: 1 });
  const post = async (path: string, body: object = {}, key = token) => {
    later();
    return (await app.post(path, { key, body })).body as { id: string };
  };
  const { id } = await post('/api/admin/api-keys', { name: 'CI', scopes: ['webhooks'] });
  await post(`/api/admin/api-keys/${id}/rotate`);
  const hook = { url: 'https://example.com/hook', events: ['content.created'] };
  await post('/api/v2/webhooks', hook, await app.seed.key({ scopes: ['webhooks'] }));
  later();
  await ownerClient(app.baseUrl, token).studio.site.update.mutate({ name: 'Ada', mcp_enabled: false });
  later();
  const operator = { kind: 'operator', id: 'grace', name: 'grace' } as const;
  const siteId = await app.seed.ownSite();
  await writeEntry(app.deps.database.em, app.deps, { siteId, actor: operator, action: 'ops.export' });

  await page.reload();
  const table = page.getByRole('table', { name: 'Activity' });
  await table.waitFor();

  const rows = await table.locator('tbody tr').allInnerTexts();
  expect(rows.map((row) => row.split(/\s*[\n\t]\s*/).slice(0, 4))).toEqual([
    ['Exported the site', 'grace', 'Operator', expect.any(String)],
    ['Changed the site’s settings', 'Name, Assistants', 'Olive Owner', 'Owner'],
    ['Registered a webhook', expect.any(String), 'test', 'API key'],
    ['Rotated an API key', id, 'Olive Owner', 'Owner'],
    ['Created an API key', id, 'Olive Owner', 'Owner'],
    ['Signed in', expect.any(String), expect.any(String), expect.any(String)],
  ]);
  expect(faults).toEqual([]);
});

test('an owner filters the activity by person, and sees the current role of each', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open();
  const body = {
    token: await makeInvitationToken(app, 'grace@example.com', 'editor'),
    ...{ name: 'Grace Bell', password: 'staple battery horse' },
  };
  await app.post('/api/admin/invitations/accept', { body });
  await signIn(app, page, '/tools/activity', await app.seed.owner());
  const rows = page.getByRole('table', { name: 'Activity' }).locator('tbody tr');
  await rows.filter({ hasText: 'Grace Bell' }).getByText('Editor').waitFor();
  await rows.filter({ hasText: 'Olive Owner' }).first().getByText('Owner', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Person' }).click();
  await page.getByRole('option', { name: 'Grace Bell' }).click();
  await rows.filter({ hasText: 'Olive Owner' }).first().waitFor({ state: 'detached' });
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('Joined the site')]);
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});
