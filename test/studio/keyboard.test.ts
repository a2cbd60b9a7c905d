import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeEntry } from '../../server/api/calls/audit.ts';
import { fillWithExample } from '../../server/demo/fill.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { createKeyboardUser } from '../support/keyboard-user.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { buildStudio, startWatchedBrowser } from '../support/watched-browser.ts';
import { startTestWorker } from '../support/worker.ts';
import { audience } from './by-keyboard/audience.ts';
import { content } from './by-keyboard/content.ts';
import type { Desk, Prepared } from './by-keyboard/desk.ts';
import { site } from './by-keyboard/site.ts';
import { tools } from './by-keyboard/tools.ts';

const cleanUp = new AsyncDisposableStack();
let app: TestApp;
let desk: Desk;
beforeAll(async () => {
  await buildStudio();
  const receiver = cleanUp.use(await startReceiver());
  app = cleanUp.use(
    await startApp({ webhooks: { ca: receiver.ca, allowCidrs: [parseCidr('127.0.0.0/8')] } }),
  );
  cleanUp.use(await startTestWorker(app));
  await fillWithExample(app.deps, await app.seed.ownSite());
  const browser = cleanUp.use(await startWatchedBrowser());
  const { page, faults } = await browser.open();
  const records = await prepare(await signIn(app, page, '/'), receiver.url);
  await eventually(() => receiver.requests.length > 0);
  const told = (words: string) =>
    page.locator(`${notes}:not([data-is-old])`).filter({ hasText: words }).waitFor();
  desk = { page, hands: createKeyboardUser(page), told, faults, records };
});
afterAll(() => cleanUp.disposeAsync());

async function prepare(token: string, url: string): Promise<Prepared> {
  const { studio, admin } = ownerClient(app.baseUrl, token);
  const { id: webhook } = await admin.webhooks.create.mutate({ url, events: ['content.created'] });
  const { id: conflict } = await studio.posts.create.mutate({ title: 'For two' });
  const { id: post } = await studio.posts.create.mutate({ title: 'By key', is_draft: true });
  await studio.posts.update.mutate({ id: post, title: 'By keys' });
  await studio.posts.update.mutate({ id: post, title: 'By keys alone' });
  const { id: course } = await studio.courses.create.mutate({ title: 'Typing' });
  const { id: gone } = await studio.skills.create.mutate({ name: 'Clicking' });
  await studio.skills.delete.mutate({ id: gone });
  // Enough entries for a second page of the activity list.
  const actor = { kind: 'operator', id: 'grace', name: 'grace' } as const;
  const siteId = await app.seed.ownSite();
  for (let count = 0; count < 60; count++)
    await writeEntry(app.deps.database.em, app.deps, { siteId, actor, action: 'ops.export' });
  const key = await app.seed.key({ scopes: ['write:payments'] });
  await app.post('/api/v2/memberships', {
    key,
    body: {
      ...{ provider: 'patreon', external_id: 'pledge-1', email: 'fan@example.com', tiers: ['members'] },
      state: 'active',
      open_until: app.clock.inMinutes(60 * 24).toISOString(),
      as_of: app.clock.now().toISOString(),
    },
  });
  const changeElsewhere = () => studio.posts.update.mutate({ id: conflict, excerpt: 'Theirs' });
  return { post, course, webhook, conflict, changeElsewhere };
}

/** Notifications, which stay for seconds and across screens. */
const notes = '.mantine-Notification-root';

const steps = Object.entries({ ...content, ...audience, ...site, ...tools });

test.each(steps)('%s can be worked by keyboard alone', async (_, { at, work }) => {
  const { page, hands, faults, records } = desk;
  await openScreen(page, `/studio${at(records)}`);
  await wholeScreen(page);
  await page.locator(notes).evaluateAll((all) => {
    for (const note of all) note.toggleAttribute('data-is-old', true);
  });
  // Start without focus, as on a page that was just opened.
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  await hands.use('Skip to content');
  await work(desk);
  expect(faults).toEqual([]);
});

test('every screen in the navigation is covered by the tests above', async () => {
  const { page, records } = desk;
  await page.goto(`${app.baseUrl}/studio`);
  const links = page.getByRole('navigation', { name: 'Studio' }).getByRole('link');
  await links.first().waitFor();
  const positions = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  const screens = positions.filter((position) => position.startsWith('/studio')).map(withoutSlash);
  const worked = steps.map(([, { at }]) => withoutSlash(`/studio${at(records)}`));
  // Lists of content share one screen, derived from the contract.
  const lists = Object.keys(resources).map((collection) => `/studio/${collection}`);
  expect(screens.filter((screen) => ![...worked, ...lists].includes(screen))).toEqual([]);
});

const withoutSlash = (path: string) => path.replace(/\/$/, '');
