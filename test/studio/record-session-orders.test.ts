import { describe, expect, test } from 'vitest';
import { resources } from '../../shared/contract/resources/index.ts';
import { interleavings, openPage, settled } from '../support/record-page.ts';
import {
  boats,
  expectSaved,
  messages,
  network,
  networks,
  ofOwner,
  openWorld,
  pause,
  play,
  press,
  type Step,
  type,
  undo,
  view,
  type World,
} from '../support/record-world.ts';

describe("a record's form, in whatever order the service answers", () => {
  test('a new draft is created once, however often it is saved or published in the meantime', async () => {
    const owner = [
      type('title', 'A boat in winter'),
      pause,
      press('save'),
      type('excerpt', 'It froze.'),
      press('save'),
      press('publish'),
    ];
    for (const order of interleavings(owner, networks(4))) {
      const world = await play(await openWorld(), order);
      await world.page.rest();
      expect(new Set(world.service.keys).size).toBe(1);
      expectSaved(world, { title: 'A boat in winter', excerpt: 'It froze.', is_draft: false });
      expect(messages(world)).toEqual(['“A boat in winter” published']);
      expect(world.page.told.created).toEqual([world.service.all()[0]?.id]);
    }
  });

  test('a record without drafts is created once, and later edits are saved on request', async () => {
    const owner = [
      type('name', 'Sail'),
      press('save'),
      press('save'),
      type('name', 'Sailing'),
      press('save'),
    ];
    for (const order of interleavings(owner, networks(4))) {
      const world = await play(await openWorld(undefined, {}, resources.skills), order);
      await world.page.rest();
      expectSaved(world, { name: 'Sailing' });
      expect(ofOwner(world).filter(({ before }) => !before.id)).toHaveLength(1);
    }
  });

  test('a draft is published once, with one message, however often Publish is clicked', async () => {
    const owner = [press('publish'), press('publish'), type('excerpt', 'Many'), press('save')];
    for (const order of interleavings(owner, networks(4))) {
      const world = await play(await openWorld(boats, { is_draft: true }), order);
      await world.page.rest();
      expectSaved(world, { excerpt: 'Many', is_draft: false });
      expect(messages(world).filter((message) => message === '“Boats” published')).toHaveLength(1);
      expect(ofOwner(world).filter(({ values }) => 'is_draft' in values)).toHaveLength(1);
    }
  });

  test('Undo of publishing keeps later changes, and later actions run after it', async () => {
    const owner = [
      type('title', 'New boats'),
      press('save'),
      undo,
      type('excerpt', 'Many'),
      press('publish'),
    ];
    for (const order of interleavings(owner, networks(4))) {
      const world = await openWorld(boats, { is_draft: true });
      press('publish')(world);
      await world.page.rest();
      await play(world, order);
      await world.page.rest();
      expectSaved(world, { title: 'New boats', excerpt: 'Many', is_draft: false });
      expect(ofOwner(world).flatMap(({ values: { is_draft } }) => is_draft ?? [])).toEqual([
        false,
        true,
        false,
      ]);
    }
  });

  test('actions requested before the form was left still run, and do not navigate back', async () => {
    const steps = [type('title', 'Old boats'), pause, type('excerpt', 'Many'), press('publish')];
    for (const id of [boats, undefined]) {
      for (const order of interleavings([...steps, press('leave')], networks(4))) {
        const world = await openWorld(id, { is_draft: true });
        const isLeft = order.findLastIndex((step) => step !== network);
        await play(world, order.slice(0, isLeft + 1));
        const { length } = world.page.told.created;
        await play(world, order.slice(isLeft + 1));
        await world.page.rest();
        expect(world.service.all()).toMatchObject([{ title: 'Old boats', excerpt: 'Many', is_draft: false }]);
        expect(messages(world)).toContain('“Old boats” published');
        expect(world.page.told.created).toHaveLength(length);
        world.form = world.page.openForm(world.service.all()[0]?.id);
        await settled();
        expect(view(world)).toMatchObject({
          hasEdits: false,
          values: { title: 'Old boats', excerpt: 'Many' },
        });
      }
    }
  });

  test('edits cannot be discarded while they are saving, and later edits are saved afterwards', async () => {
    const discard: Step = (world) => {
      const { isSaving, edits } = view(world);
      press('discard')(world);
      expect(view(world).edits).toEqual(isSaving ? edits : {});
    };
    const owner = [
      type('title', 'Old boats'),
      press('save'),
      discard,
      type('title', 'New boats'),
      press('save'),
    ];
    for (const order of interleavings(owner, networks(4))) {
      const world = await play(await openWorld(boats), order);
      await world.page.rest();
      expectSaved(world, { title: 'New boats' });
      expect(ofOwner(world).map(({ values }) => values.title)).toEqual(['Old boats', 'New boats']);
    }
  });

  test('another writer’s change is not overwritten without a choice, and not lost by writes to other fields', async () => {
    const theirs = [
      ({ service }: World) => service.write(boats, { title: 'Their boats' }),
      ({ service }: World) => service.write(boats, { tags: ['theirs'] }),
    ];
    for (const is_draft of [true, false]) {
      const owner = [type('title', 'My boats'), pause, type('excerpt', 'Mine'), press('save')];
      for (const order of interleavings(owner, networks(3), theirs)) {
        const world = await play(await openWorld(boats, { is_draft }), order);
        await world.page.rest();
        await play(world, [({ page }) => page.look()]);
        expect(world.service.find(boats)).toMatchObject({ tags: ['theirs'] });
        const titles = world.service.writes.flatMap(({ values: { title } }) => title ?? []);
        // Their title is the last write, or came after mine: overwriting it needs a choice.
        expect(titles.at(-1)).toBe('Their boats');
        const { conflicts, values } = view(world);
        expect([conflicts, values.title]).toEqual(
          titles.includes('My boats') ? [[], 'Their boats'] : [['title'], 'My boats'],
        );
      }
    }
  });

  test('a new record with lost answers becomes one record with all edits, even after reloads', async () => {
    const lose: Step = ({ service }) => service.loseAnswer();
    const reload: Step = (world) => {
      const id = world.page.told.created.at(-1);
      world.page.close();
      world.page = openPage(world.service, world.page.stored);
      world.form = world.page.openForm(id);
    };
    const owner = [
      type('title', 'A boat'),
      type('excerpt', 'Short'),
      pause,
      type('title', 'A boat in winter'),
      type('excerpt', ''),
      press('save'),
    ];
    for (const order of interleavings(owner, [network, lose], [reload])) {
      const world = await play(await openWorld(), order);
      press('save')(world);
      await world.page.rest();
      expect(new Set(world.service.keys).size).toBe(1);
      expectSaved(world, { title: 'A boat in winter', is_draft: true });
      expect(world.service.all()[0]?.excerpt || '').toBe('');
    }
  });
});
