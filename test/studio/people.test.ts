import { afterAll, beforeAll, expect, test } from 'vitest';
import { SitePerson } from '../../shared/db/entities/person.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { makeInvitationToken } from '../support/mailed-tokens.ts';
import { ownerClient } from '../support/rpc.ts';
import { signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

type Page = Awaited<ReturnType<(typeof browser)['open']>>['page'];

const newcomer = { name: 'Grace Bell', password: 'staple battery horse' };
const email = 'grace@example.com';

/** Creates a user with a role, and returns their login and client. */
async function comeAs(app: TestApp, role: 'editor' | 'author' | 'support') {
  const body = { token: await makeInvitationToken(app, email, role), ...newcomer };
  const { body: session } = await app.post('/api/admin/invitations/accept', { body });
  const { token, owner } = session as { token: string; owner: { id: string } };
  return {
    id: owner.id,
    login: { email, password: newcomer.password },
    studio: ownerClient(app.baseUrl, token).studio,
  };
}

const positions = async (page: Page) => {
  await wholeScreen(page);
  const links = page.getByRole('navigation', { name: 'Studio' }).locator('a');
  return (await links.allTextContents()).map((text) => text.trim());
};

test('an owner invites a person, changes their role and withdraws the invitation', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  await signIn(app, page, '/people');
  await page.getByRole('button', { name: 'Invite someone' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('radio', { name: 'Author' }).check();
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  const row = page.getByRole('row').filter({ hasText: email });
  await row.getByText('Author').waitFor();
  await row.getByText('Invited').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await row.getByRole('button', { name: `Actions for ${email}` }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await dialog.getByRole('radio', { name: 'Editor' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Editor').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  expect(await findViolations(page)).toEqual([]);
  await row.getByRole('button', { name: `Actions for ${email}` }).click();
  await page.getByRole('menuitem', { name: 'Withdraw' }).click();
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await row.waitFor({ state: 'detached' });
  await context.close();
});

test('the only owner of a site cannot lower their role, and sees why', async () => {
  await using app = await startApp();
  const { page, context } = await browser.open();
  await signIn(app, page, '/people');
  await page.getByRole('button', { name: 'Actions for Olive Owner' }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Support' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('A site needs at least one owner').waitFor();
  await context.close();
});

test('an owner who lowers their own role sees the list replaced by the refusal', async () => {
  await using app = await startApp();
  await app.seed.person('owner');
  const { page, context } = await browser.open();
  await signIn(app, page, '/people');
  const own = page.getByRole('row').filter({ hasText: 'You' });
  await own.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await page.getByRole('dialog').getByRole('radio', { name: 'Editor' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your role on this site doesn’t allow this.').waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
  expect(await positions(page)).not.toContain('People');
  await context.close();
});

test('an invited person chooses a name and a password, and sees an editor’s screens', async () => {
  await using app = await startApp();
  const token = await makeInvitationToken(app, email);
  const { page, context } = await browser.open();
  await page.goto(`${app.baseUrl}/studio/invitation#${token}`);
  await page.getByLabel('Your name').fill(newcomer.name);
  await page.getByRole('textbox', { name: 'New password' }).fill(newcomer.password);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const seen = await positions(page);
  expect(seen).toEqual(expect.arrayContaining(['Overview', 'Posts', 'Profile', 'Media', 'Members', 'Trash']));
  expect(seen).not.toEqual(expect.arrayContaining(['People']));
  for (const closed of ['People', 'Design and settings', 'API keys', 'Webhooks', 'Activity'])
    expect(seen).not.toContain(closed);
  await page.goto(`${app.baseUrl}/studio/people`);
  await page.getByText('Your role on this site doesn’t allow this.').waitFor();
  await context.close();
});

test('a person with an account accepts an invitation with it', async () => {
  await using app = await startApp();
  const login = await app.seed.owner(await app.seed.site());
  const token = await makeInvitationToken(app, login.email, 'support');
  const { page, context } = await browser.open();
  await page.goto(`${app.baseUrl}/studio/invitation#${token}`);
  await page.getByLabel('Your name').fill('Somebody');
  await page.getByRole('textbox', { name: 'New password' }).fill('a rather new password');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('You already have an account').waitFor();
  await page.getByLabel('Email').fill(login.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password);
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await positions(page)).not.toContain('Media');
  await context.close();
});

test('an author writes drafts but cannot publish them, and reads public records', async () => {
  await using app = await startApp();
  const { posts } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await posts.create.mutate({ title: 'Out in the open', content: 'For everybody.' });
  const author = await comeAs(app, 'author');
  const { page, context } = await browser.open();
  await signIn(app, page, '/posts/new', author.login);
  await page.getByRole('textbox', { name: 'Title' }).fill('A first draft');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Schedule' }).count()).toBe(0);
  const { items } = await posts.list.query({ is_draft: true });
  expect(items).toMatchObject([{ title: 'A first draft', created_by: author.id }]);
  await page.goto(`${app.baseUrl}/studio/posts/${id}`);
  await page.getByText('You can read this, but your role doesn’t allow changes.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Update' }).count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await context.close();
});

test('actions that a role may not do are not offered: restoring for an author, completing a course for an editor', async () => {
  await using app = await startApp();
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await owner.posts.create.mutate({ title: 'Boats', content: 'At sea.' });
  await owner.posts.update.mutate({ id, title: 'Ships' });
  const { id: course_id } = await owner.courses.create.mutate({ title: 'Knots', description: 'To tie.' });
  await owner.enrollments.create.mutate({ course_id, buyer_email: 'ada@example.com' });
  const person = await comeAs(app, 'author');
  const { page, context } = await browser.open();
  await signIn(app, page, `/posts/${id}/history`, person.login);
  await page.getByRole('region', { name: 'Title' }).waitFor();
  expect(await page.getByRole('button', { name: 'Restore this version' }).count()).toBe(0);
  await owner.people.update.mutate({ id: person.id, role: 'editor' });
  await page.reload();
  await page.getByRole('button', { name: 'Restore this version' }).waitFor();
  await page.goto(`${app.baseUrl}/studio/enrollments`);
  await page.getByRole('cell', { name: 'In progress' }).waitFor();
  expect(await page.getByRole('button', { name: 'Actions for ada@example.com' }).count()).toBe(0);
  await owner.people.update.mutate({ id: person.id, role: 'support' });
  await page.reload();
  await page.getByRole('button', { name: 'Actions for ada@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Mark as finished' }).waitFor();
  await context.close();
});

test('a user who is removed while writing is signed out, and their text stays on the screen', async () => {
  await using app = await startApp();
  const editor = await comeAs(app, 'editor');
  const { id } = await editor.studio.posts.create.mutate({ title: 'Boats', is_draft: true });
  const { page, context } = await browser.open();
  await signIn(app, page, `/posts/${id}`, editor.login);
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  await owner.people.remove.mutate({ id: editor.id });
  await page.getByRole('textbox', { name: 'Title' }).fill('Boats at sea');
  await page.getByRole('dialog').getByText('Your session has ended').waitFor();
  expect(await page.locator('textarea').first().inputValue()).toBe('Boats at sea');
  expect(await owner.posts.get.query({ id })).toMatchObject({ title: 'Boats' });
  await context.close();
});

test('a user of several sites chooses one, and opens another without the password and without leaving a session behind', async () => {
  await using app = await startApp();
  const login = await app.seed.owner();
  const other = await app.seed.site();
  const [person] = await app.deps.database.em.execute<{ id: string }[]>('select id from people');
  await app.deps.database.em.execute(`update sites set name = 'The lighthouse' where id = ?`, [other]);
  await app.deps.database.em.fork().insert(SitePerson, {
    ...{ site_id: other, person_id: person?.id ?? '', role: 'editor', created: app.clock.now() },
  });
  const { page, context } = await browser.open();
  await page.goto(`${app.baseUrl}/studio`);
  await page.getByLabel('Email').fill(login.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password);
  await page.keyboard.press('Enter');
  await page.getByText('You work on several sites').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'A site Owner' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await positions(page)).toContain('People');

  const goTo = async (name: string) => {
    await page.getByRole('button', { name: 'Olive Owner' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await goTo('The lighthouse');
  await page.getByRole('navigation').getByText('The lighthouse').waitFor();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await positions(page)).not.toContain('People');
  await goTo('A site');
  await page.getByRole('link', { name: 'Profile' }).waitFor();
  expect(await positions(page)).toContain('People');
  expect(await app.deps.database.em.execute('select site_id from owner_sessions')).toHaveLength(1);
  await context.close();
});

test.for(['author', 'support'] as const)(
  'a user with the role %s finds drafts of others by their text, and only actions that the role allows',
  async (role) => {
    await using app = await startApp();
    const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
    const { id } = await studio.posts.create.mutate({
      title: 'On the water',
      content: 'We drank in a café by the canal.',
      is_draft: true,
    });
    const { login } = await comeAs(app, role);
    const { page, faults } = await browser.open();
    await signIn(app, page, '/posts', login);
    await wholeScreen(page);
    const dialog = page.getByRole('dialog');
    const type = async (words: string) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search or jump to…').fill(words);
    };
    await type('drank caf');
    await dialog.getByRole('button', { name: 'On the water' }).click();
    await page.waitForURL(`**/posts/${id}`);
    await wholeScreen(page);
    await type('new post');
    await dialog.getByText(role === 'support' ? 'No results' : 'New post').waitFor();
    expect(faults).toEqual([]);
  },
);
