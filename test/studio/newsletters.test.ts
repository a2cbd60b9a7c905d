import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyboardUser } from '../support/keyboard-user.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type MailingSite, startMailingSite, startMailingWorker, until } from '../support/mailing-site.ts';
import { type RelayScript, startMisbehavingRelay } from '../support/misbehaving-relay.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser, takeRefusal } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const addresses = ['ada@example.com', 'bob@example.com', 'grace@example.com'];

/** Opens the studio of a site with three subscribers and a post. */
async function openSite(site: MailingSite, post: object = {}) {
  await site.subscribe(addresses);
  const { page, faults } = await browser.open();
  const { studio } = ownerClient(site.baseUrl, await signIn(site, page, '/newsletters'));
  const { id } = await studio.posts.create.mutate({
    title: 'Why types pay',
    content: 'The *secret*.',
    excerpt: 'A contract saves you more than it costs.',
    ...post,
  });
  const go = async (position: string) => {
    await openScreen(page, `/studio${position}`);
    await wholeScreen(page);
  };
  return { page, faults, studio, post: id, go };
}

const send = async (page: Page, readers: string) => {
  await page.getByRole('button', { name: `Send to ${readers}` }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Send to ${readers}` })
    .click();
};

const figure = (page: Page, name: string) =>
  page.locator('dl > div').filter({ hasText: name }).locator('dd').textContent();

test('an owner sends a post from its editor, and sees that each of three readers received it', async () => {
  await using relay = await startMisbehavingRelay();
  await using site = await startMailingSite({ smtpUrl: relay.url });
  const { page, faults, post, go } = await openSite(site);
  await page.getByRole('heading', { name: 'No newsletters yet' }).waitFor();
  await go(`/posts/${post}`);
  await page.getByRole('link', { name: 'Send as newsletter' }).click();
  await page.getByText('Everyone receives the whole post.').waitFor();
  await page.getByLabel('Subject').fill('Types, and what they pay');
  await page.getByLabel('Preview text').fill('In five minutes');
  await wholeScreen(page);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send to 3 readers' }).click();
  await page.getByRole('heading', { name: 'Send to 3 readers?' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 3 readers' }).click();
  await page.getByRole('heading', { name: 'Types, and what they pay' }).waitFor();
  await page.getByText('It will be sent to 3 readers in a moment.').waitFor();
  expect(await findViolations(page)).toEqual([]);

  await using _worker = await startMailingWorker(site, relay.url);
  await page.getByText('3 of 3 readers done').first().waitFor();
  await page.getByText('Sent', { exact: true }).waitFor();
  expect(await figure(page, 'Delivered')).toBe('3');
  await expect.poll(() => page.getByRole('row', { name: /@example\.com.*Delivered/ }).count()).toBe(3);
  expect(relay.taken.map(({ to }) => to).sort()).toEqual(addresses);
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('link', { name: 'bob@example.com' }).click();
  await page.getByRole('heading', { name: 'bob@example.com' }).waitFor();
  await page.getByRole('row', { name: /Types, and what they pay.*Whole post.*Delivered/ }).waitFor();
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('link', { name: 'Newsletters' }).first().click();
  await page.getByText('3 of 3 readers received it').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('an owner previews a newsletter as each kind of reader, and sends a test to themselves', async () => {
  await using mail = await startMailServer();
  await using site = await startMailingSite({ smtpUrl: mail.url });
  const { page, faults, post, go } = await openSite(site, { access_tier: 'members', excerpt: '' });
  await go(`/posts/${post}/newsletter`);
  await page.getByText('No one may read the whole post').waitFor();
  const show = async (reader: string) => {
    await page.getByRole('combobox', { name: 'Preview as' }).click();
    await page.getByRole('option', { name: reader }).click();
  };
  const mailed = () => page.getByTitle('Email preview').getAttribute('srcdoc');
  const isBare = page.getByText('The newsletter has no excerpt and no preview text');
  await isBare.waitFor();
  await show('Members');
  await isBare.waitFor({ state: 'hidden' });
  await page
    .getByRole('region', { name: 'Preview' })
    .getByText(/secret/)
    .waitFor();
  await expect.poll(mailed).toContain('secret');
  for (const reader of ['Subscribers without an account', 'Signed-in readers']) {
    await show(reader);
    await expect.poll(mailed).not.toContain('secret');
    // A purchase opens its post in every tier.
    for (const opened of ['Buyers', 'Members']) {
      await show(opened);
      await expect.poll(mailed).toContain('secret');
    }
  }
  // The studio’s content security policy allows its styles.
  const heading = page.frameLocator('iframe').getByRole('heading', { name: 'Why types pay' });
  expect(await heading.evaluate((element) => getComputedStyle(element).fontSize)).toBe('30px');
  await page.getByText('The newsletter has no postal address').waitFor();
  const ground = () =>
    page
      .frameLocator('iframe')
      .locator('body')
      .evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(await ground()).toBe('rgb(252, 251, 248)');
  await page.getByText('Dark', { exact: true }).click();
  await expect.poll(ground).toBe('rgb(20, 19, 17)');
  await page.getByText('Phone', { exact: true }).click();
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Send me a test' }).click();
  await page.getByText(/^Test sent to/).waitFor();
  expect(mail.mails.map(({ raw }) => raw.includes('secret'))).toEqual([true]);
  expect(faults).toEqual([]);
});

test('the studio shows what prevents newsletters from arriving before anything is sent', async () => {
  await using site = await startMailingSite();
  const { page, faults, post, go } = await openSite(site);
  await go(`/posts/${post}/newsletter`);
  await page.getByText('No mail can be sent').waitFor();
  await go('/settings');
  await page.getByText('No mail can be sent').waitFor();
  await page.getByText('Add it below').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('Postal address').fill('1 Long Lane');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Add it below').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a newsletter can be paused, resumed and canceled, and shows why it is paused', async () => {
  const script: RelayScript = { rcpt: '450 4.2.2 later' };
  await using relay = await startMisbehavingRelay((to) => (to === 'ada@example.com' ? {} : script));
  await using site = await startMailingSite({ smtpUrl: relay.url });
  const { page, faults, post, go } = await openSite(site);
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await site.mail(post);
  await until(site, id, ({ retrying, accepted }) => retrying === 2 && accepted === 1);
  await go(`/newsletters/${id}`);
  await page.getByText('450 4.2.2 · the mailbox is full').first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('You paused this newsletter.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await go('/');
  await page.getByRole('link', { name: '1 newsletter paused' }).click();
  await page.getByRole('link', { name: 'Why types pay' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Sending', { exact: true }).first().waitFor();
  script.rcpt = '550 5.7.1 not from here';
  await site.passTime();
  await page.getByText('3 of 3 readers done').first().waitFor();
  expect(await figure(page, 'Refused')).toBe('2');

  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Refused' }).click();
  await expect.poll(() => page.getByRole('row', { name: /550 5\.7\.1/ }).count()).toBe(2);
  script.rcpt = '450 4.2.2 later';
  const other = await site.mail(post);
  await until(site, other, ({ retrying, accepted }) => retrying === 2 && accepted === 1);
  await go(`/newsletters/${other}`);
  await page.getByRole('button', { name: 'Actions for Why types pay' }).click();
  await page.getByRole('menuitem', { name: 'Cancel newsletter' }).click();
  await page.getByText('Sent emails can’t be recalled.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel newsletter' }).click();
  await page.getByText('Canceled', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('refused emails can be sent again with one click', async () => {
  const script: RelayScript = { rcpt: '550 5.7.1 not from here' };
  await using relay = await startMisbehavingRelay(() => script);
  await using site = await startMailingSite({ smtpUrl: relay.url });
  const { page, faults, post, go } = await openSite(site);
  await using _worker = await startMailingWorker(site, relay.url);
  const id = await site.mail(post);
  await until(site, id, ({ status }) => status === 'sent');
  await go(`/newsletters/${id}`);
  await page.getByText('the server blocks mail from this service').first().waitFor();
  delete script.rcpt;
  await page.getByRole('button', { name: 'Resend to refused' }).click();
  await page.getByText('Resending to 3 readers').waitFor();
  await expect.poll(() => figure(page, 'Delivered')).toBe('3');
  expect(faults).toEqual([]);
});

test('a post that was sent before is sent again only if its owner confirms that', async () => {
  await using relay = await startMisbehavingRelay();
  await using site = await startMailingSite({ smtpUrl: relay.url });
  const { page, faults, post, go } = await openSite(site);
  await using _worker = await startMailingWorker(site, relay.url);
  await until(site, await site.mail(post), ({ status }) => status === 'sent');
  await go(`/posts/${post}/newsletter`);
  await page.getByText(/^This post was sent to 3 readers on .*\./).waitFor();
  await page.getByRole('button', { name: 'Send to 3 readers' }).click();
  await page.getByText('Readers who received it get it twice').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('Send it again anyway').check();
  await send(page, '3 readers');
  await page.getByText('3 of 3 readers done').first().waitFor();
  expect(relay.taken.length).toBe(6);
  expect(faults).toEqual([]);
});

test('a newsletter is sent only to the chosen subscribers, at the selected time', async () => {
  await using site = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
  const { page, faults, post, studio, go } = await openSite(site);
  await site.run(`update subscribers set source = 'talk' where email = 'ada@example.com'`);
  await go(`/posts/${post}/newsletter`);
  await page.getByRole('combobox', { name: 'Subscriber source' }).click();
  await page.getByRole('option', { name: 'talk (1)' }).click();
  await page.keyboard.press('Escape');
  await page.getByText('1 reader', { exact: true }).waitFor();
  await page.getByLabel('Later').check();
  await page.getByLabel('Send on').fill('');
  await page.getByRole('button', { name: 'Schedule for 1 reader' }).click();
  await page.getByText('Choose a date and time', { exact: true }).waitFor();
  await page.getByLabel('Send on').fill('2099-03-01T08:30');
  await page.getByRole('button', { name: 'Schedule for 1 reader' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule for 1 reader' }).click();
  await page
    .getByText(/^It will be sent to 1 reader on .*2099.*\. Only to subscribers from talk\./)
    .waitFor();
  const [mailing] = (await studio.mailings.list.query()).items;
  const timestamp = await page.evaluate(() => new Date('2099-03-01T08:30').toISOString());
  expect(mailing).toMatchObject({
    audience: { sources: ['talk'] },
    send_at: new Date(timestamp),
    expected: 1,
  });
  expect(faults).toEqual([]);
});

test('without a mail server the studio shows what is missing, and without subscribers how to get some', async () => {
  await using site = await startMailingSite();
  const { page, faults, post, go } = await openSite(site);
  await go(`/posts/${post}/newsletter`);
  await page.getByText('There is no mail server, so nothing can be sent.').waitFor();
  for (const name of ['Send to 3 readers', 'Send me a test'])
    expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
  await site.run('delete from subscribers');
  await page.reload();
  await page.getByText('No subscribers yet').waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('an owner with more readers than the plan allows sees that, and can choose fewer', async () => {
  await using site = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
  const { page, faults, post, go } = await openSite(site);
  await site.run(`update sites set plan = 'free' where id = ?`, [site.siteId]);
  await go(`/posts/${post}/newsletter`);
  await send(page, '3 readers');
  await page.getByText('This exceeds your plan’s monthly limit').first().waitFor();
  await takeRefusal(faults, 403);
  expect(await page.getByLabel('Subject').isEnabled()).toBe(true);
});

test('a draft cannot be sent as a newsletter, and a scheduled post is sent when it is published', async () => {
  await using site = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
  const { page, faults, post, studio, go } = await openSite(site, { is_draft: true });
  await go(`/posts/${post}/newsletter`);
  await page.getByRole('heading', { name: 'This post is not public' }).waitFor();
  await studio.posts.schedule.mutate({ id: post, publish_at: new Date('2099-03-01T08:30:00Z') });
  await page.reload();
  await page.getByText(/^Not before the post is published on .*2099/).waitFor();
  expect(await page.getByLabel('Now').isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Schedule for 3 readers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule for 3 readers' }).click();
  await page
    .getByText(/^(Scheduled for|It will be sent on) .*2099/)
    .first()
    .waitFor();
  expect(faults).toEqual([]);
});

test('a draft can be published and sent from its editor, and nothing is sent before confirmation', async () => {
  await using site = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
  const { page, faults, post, studio, go } = await openSite(site, { is_draft: true });
  await go(`/posts/${post}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Publish and send' }).click();
  await page.getByRole('heading', { name: 'Send as newsletter' }).waitFor();
  expect(await studio.posts.get.query({ id: post })).toMatchObject({ is_draft: false });
  expect((await studio.mailings.list.query({})).items).toEqual([]);
  await send(page, '3 readers');
  await page.getByText('It will be sent to 3 readers in a moment.').waitFor();
  expect(faults).toEqual([]);
});

test('a newsletter can be sent by keyboard alone, and nothing of it scrolls sideways on a phone', async () => {
  await using relay = await startMisbehavingRelay();
  await using site = await startMailingSite({ smtpUrl: relay.url });
  const { page, faults, post, go } = await openSite(site);
  await page.setViewportSize({ width: 360, height: 800 });
  const isWide = () =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  await go(`/posts/${post}`);
  const hands = createKeyboardUser(page);
  await hands.use('More actions');
  await hands.choose('Send as newsletter');
  await page.getByRole('heading', { name: 'Send as newsletter' }).waitFor();
  await wholeScreen(page);
  expect(await isWide()).toBe(false);
  expect(await findViolations(page)).toEqual([]);
  await hands.use('Send to 3 readers');
  await hands.dialog();
  await hands.use('Send to 3 readers');
  await page.getByText('It will be sent to').waitFor();
  await using _worker = await startMailingWorker(site, relay.url);
  await page.getByText('3 of 3 readers done').first().waitFor();
  await wholeScreen(page);
  expect(await isWide()).toBe(false);
  expect(await findViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('the settings of the site contain those of its newsletters', async () => {
  await using site = await startMailingSite();
  const { page, faults, studio, go } = await openSite(site);
  await go('/settings');
  await page.getByLabel('Sender name').fill('Ada');
  await page.getByLabel('Reply-to address').fill('nobody');
  await page.getByLabel('Postal address').fill('1 Long Lane\nLondon');
  await page.getByRole('combobox', { name: 'Confirmation email' }).click();
  await page.getByRole('option', { name: 'No', exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Check the marked fields.').waitFor();
  await page.getByLabel('Reply-to address').fill('ada@example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved').waitFor();
  expect((await studio.site.get.query()).newsletter).toEqual({
    confirm: false,
    from_name: 'Ada',
    reply_to: 'ada@example.com',
    postal_address: '1 Long Lane\nLondon',
  });
  expect(faults).toEqual([]);
});
