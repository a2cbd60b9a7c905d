import { expect, test } from 'vitest';
import {
  boats,
  expectSaved,
  messages,
  ofOwner,
  openWorld,
  pause,
  play,
  press,
  type,
  undo,
  view,
} from '../support/record-world.ts';

test('discarded changes are restored together with later edits, in an open, reopened or later form', async () => {
  const unavailable = await play(await openWorld(boats), [type('title', 'Boats at sea'), press('discard')]);
  expect(view(unavailable)).toMatchObject({ hasEdits: false, values: { title: 'Boats' } });
  await play(unavailable, [type('excerpt', 'Typed after it'), undo]);
  expect(view(unavailable).edits).toEqual({ title: 'Boats at sea', excerpt: 'Typed after it' });
  await play(unavailable, [press('discard'), press('leave')]);
  unavailable.form = unavailable.page.openForm(boats);
  await play(unavailable, [undo]);
  expect(view(unavailable).edits).toEqual({ title: 'Boats at sea', excerpt: 'Typed after it' });
  await play(unavailable, [press('discard'), press('leave'), undo]);
  unavailable.form = unavailable.page.openForm(boats);
  await play(unavailable, [press('save')]);
  await unavailable.page.rest();
  expectSaved(unavailable, { title: 'Boats at sea', excerpt: 'Typed after it' });
});

test.each([
  ['mine', 'My boats'],
  ['theirs', 'Their boats'],
] as const)(
  'in a conflict the choice %s is saved together with the rest of the stopped save',
  async (choice, title) => {
    const world = await play(await openWorld(boats, { is_draft: true }), [
      type('title', 'My boats'),
      type('excerpt', 'Mine'),
      ({ service }) => service.write(boats, { title: 'Their boats' }),
      press('publish'),
    ]);
    await world.page.rest();
    expect(view(world)).toMatchObject({
      conflicts: ['title'],
      isComparing: true,
      writer: 'another, a program',
    });
    expect(ofOwner(world)).toEqual([]);
    world.form.compare(false);
    expect(view(world).isComparing).toBe(false);
    world.form.resolve({ title: choice });
    await world.page.rest();
    expectSaved(world, { title, excerpt: 'Mine', is_draft: false });
  },
);

test('changes of other writers are shown and reported with their author, the form’s own are not', async () => {
  const world = await openWorld(boats, { excerpt: 'Short' });
  await play(world, [type('title', 'My boats'), press('save')]);
  await world.page.rest();
  expect(messages(world)).toEqual(['“My boats” updated']);
  await play(world, [
    ({ service }) => service.write(boats, { excerpt: 'Theirs' }),
    ({ page }) => page.look(),
  ]);
  expect(view(world).values.excerpt).toBe('Theirs');
  await play(world, [
    type('title', 'Mine again'),
    ({ service }) => service.write(boats, { excerpt: 'Theirs again' }),
    ({ page }) => page.look(),
  ]);
  expect(messages(world).slice(1)).toEqual([
    'another, a program changed this. You see the current version.',
    expect.stringContaining('another, a program changed'),
  ]);
});

test('another writer’s change just before a save is kept and reported, and causes no conflict', async () => {
  const world = await play(await openWorld(boats), [
    type('title', 'My boats'),
    ({ service }) => service.write(boats, { excerpt: 'Theirs' }),
    press('save'),
  ]);
  await world.page.rest();
  expectSaved(world, { title: 'My boats', excerpt: 'Theirs' });
  expect(messages(world).sort()).toEqual([
    'another, a program changed this. You see the current version.',
    '“My boats” updated',
  ]);
});

test('a draft published as scheduled is reported, and then no longer saves automatically', async () => {
  const publish_at = new Date('2026-05-01T12:00:10Z');
  const world = await openWorld(boats, { is_draft: true, publish_at });
  await play(world, [
    ({ service }) => service.write(boats, { is_draft: false, publish_at: null }),
    ({ page }) => page.look(),
    type('title', 'Changed since'),
    pause,
  ]);
  await world.page.rest();
  expect(messages(world)).toEqual(['“Boats” was published as scheduled']);
  expect(ofOwner(world)).toEqual([]);
  expect(view(world)).toMatchObject({ isSavedByItself: false, edits: { title: 'Changed since' } });
});

test('unsaved edits are stored only under the account of their author', async () => {
  const world = await play(await openWorld(boats), [type('title', 'My boats')]);
  expect(world.page.storage.names()).toEqual([`unsaved:posts:${boats}`]);
  expect(Array.from({ length: world.page.stored.length }, (_, at) => world.page.stored.key(at))).toEqual([
    `studio:harbour:ada:unsaved:posts:${boats}`,
  ]);
});
