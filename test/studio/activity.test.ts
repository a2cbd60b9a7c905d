import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeEntry } from '../../server/kernel/audit.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn } from '../support/studio.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('an owner sees who did what, the latest first', async () => {
  await using app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] } });
  const { page, faults } = await browser.open();
  const token = await signIn(app, page, '/tools/activity');
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
