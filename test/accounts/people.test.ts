import { expect, test } from 'vitest';
import { SitePerson } from '../../shared/db/entities/person.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// docs/reference/sessions.md#people

const studioOf = (app: TestApp, token: string) => ownerClient(app.baseUrl, token).studio;

const lastOwner = {
  code: 'last_owner',
  message: 'a site must have at least one owner: give another person the role `owner` first',
};

test('owners see the people of their site, oldest first', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  app.clock.advance({ minutes: 1 });
  const support = await app.seed.person('support');
  await app.seed.person('owner', await app.seed.site());
  const about = { state: 'active', name: 'Olive Owner', expires_at: null };
  expect(await studioOf(app, owner.token).people.list.query()).toEqual({
    data: [
      {
        ...about,
        id: owner.id,
        email: owner.email,
        role: 'owner',
        created: new Date('2026-01-31T09:05:00.123Z'),
      },
      {
        ...about,
        id: support.id,
        email: support.email,
        role: 'support',
        created: new Date('2026-01-31T09:06:00.123Z'),
      },
    ],
  });
});

test('a changed role applies to the next request', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const other = await app.seed.person('support');
  const { members, posts } = studioOf(app, other.token);
  await members.list.query({});
  await studioOf(app, owner.token).people.update.mutate({ id: other.id, role: 'author' });
  expect(await refusal(members.list.query({}))).toMatchObject({ code: 'insufficient_role' });
  await posts.create.mutate({ title: 'A draft' });
});

test('an export link of a former owner no longer works', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const other = await app.seed.person('owner');
  const tickets = [
    await studioOf(app, other.token).members.export.mutate({}),
    await studioOf(app, other.token).members.export.mutate({}),
  ];
  const [used, kept] = tickets.map(({ url }) => new URL(url, app.baseUrl));
  expect((await fetch(used ?? '')).status).toBe(200);
  await studioOf(app, owner.token).people.update.mutate({ id: other.id, role: 'editor' });
  expect((await fetch(kept ?? '')).status).toBe(404);
});

test('a removed person is signed out of that site only', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const other = await app.seed.person('editor');
  const elsewhere = await app.seed.site();
  await app.deps.database.em.fork().insert(SitePerson, {
    ...{ site_id: elsewhere, person_id: other.id, role: 'editor', created: app.clock.now() },
  });
  const there = await app.seed.session({ ...other, site_id: elsewhere });
  const { people } = studioOf(app, owner.token);
  await people.remove.mutate({ id: other.id });
  expect(await refusal(studioOf(app, other.token).posts.list.query({}))).toMatchObject({
    code: 'unauthorized',
  });
  await studioOf(app, there).posts.list.query({});
  expect(await refusal(people.remove.mutate({ id: other.id }))).toMatchObject({ code: 'not_found' });
});

test('an account is deleted with its last site, so that its email address can be invited again', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const other = await app.seed.person('editor');
  await studioOf(app, owner.token).people.remove.mutate({ id: other.id });
  expect(await app.deps.database.em.execute('select id from people')).toEqual([{ id: owner.id }]);
});

test('a site always keeps one owner, even if two owners remove or demote each other concurrently', async () => {
  await using app = await startApp();
  const one = await app.seed.person('owner');
  const { people } = studioOf(app, one.token);
  expect(await refusal(people.remove.mutate({ id: one.id }))).toEqual(lastOwner);
  expect(await refusal(people.update.mutate({ id: one.id, role: 'editor' }))).toEqual(lastOwner);
  await people.update.mutate({ id: one.id, role: 'owner' });
  for (const end of ['update', 'remove'] as const) {
    const other = await app.seed.person('owner');
    const ends = [
      { token: one.token, id: other.id },
      { token: other.token, id: one.id },
    ].map(({ token, id }) => {
      const by = studioOf(app, token).people;
      return end === 'update' ? by.update.mutate({ id, role: 'author' }) : by.remove.mutate({ id });
    });
    await Promise.allSettled(ends);
    const owners = await app.deps.database.em.execute(
      `select person_id from site_people where role = 'owner'`,
    );
    expect(owners).toHaveLength(1);
    await app.deps.database.em.execute(`update site_people set role = 'owner' where person_id = ?`, [one.id]);
    if (end === 'update') await people.remove.mutate({ id: other.id });
  }
});

test('changes of people write audit entries', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  const other = await app.seed.person('editor');
  const { people, audit } = studioOf(app, owner.token);
  await people.update.mutate({ id: other.id, role: 'author' });
  app.clock.advance({ seconds: 1 });
  await people.remove.mutate({ id: other.id });
  const { items } = await audit.list.query({});
  expect(items.map(({ action, record_id, changed }) => [action, record_id, changed])).toEqual([
    ['studio.people.remove', other.id, []],
    ['studio.people.update', other.id, ['role']],
  ]);
});

test('people of every role can change their own name, which others then see', async () => {
  await using app = await startApp();
  const owner = await app.seed.person('owner');
  for (const role of ['owner', 'editor', 'author', 'support'] as const) {
    const person = await app.seed.person(role);
    await studioOf(app, person.token).account.rename.mutate({ name: `نام ${role} O’Neil 👩‍🔬` });
    const { data } = await studioOf(app, owner.token).people.list.query();
    expect(data.find(({ id }) => id === person.id)?.name).toBe(`نام ${role} O’Neil 👩‍🔬`);
    const { body } = await app.get('/api/admin/session', { key: person.token });
    expect(body).toMatchObject({ owner: { name: `نام ${role} O’Neil 👩‍🔬` } });
  }
});

test('a name that is empty, spans several lines or changes the text direction is refused', async () => {
  await using app = await startApp();
  const { token } = await app.seed.person('author');
  for (const name of [
    '',
    ' ',
    '\u200b',
    '\u00ad \u2060',
    'Ada\nMarsh',
    'Ada\u2028Marsh',
    'A\u202eda',
    'A\u2067da',
    'A\u0007',
  ])
    expect(await refusal(studioOf(app, token).account.rename.mutate({ name }))).toMatchObject({
      code: 'validation_failed',
    });
});
