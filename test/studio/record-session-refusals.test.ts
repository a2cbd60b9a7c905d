import { describe, expect, test } from 'vitest';
import { resources } from '../../shared/contract/resources/index.ts';
import { openPage, refusal } from '../support/record-page.ts';
import {
  boats,
  expectSaved,
  ofOwner,
  openWorld,
  pause,
  play,
  press,
  type Step,
  type,
  undo,
  view,
} from '../support/record-world.ts';

describe("a record's form whose write the service does not accept", () => {
  test.each([
    ['without a network', new TypeError('Failed to fetch')],
    ['because of an error of the service', refusal('internal_error', 500)],
    ['because the service is busy', refusal('database_busy', 503)],
    ['because of a rate limit', refusal('rate_limited', 429)],
  ])('a save that fails %s loses no edits, and Retry repeats the failed action', async (_, error) => {
    const wanted: Step[] = [press('publish'), press('save')];
    for (const want of wanted) {
      for (const typed of [[], [type('excerpt', 'Many')]]) {
        const world = await play(await openWorld(boats, { is_draft: true, excerpt: 'Few' }), [
          type('title', 'Old boats'),
          ...typed,
          want,
          ({ service }) => service.refuse(error),
        ]);
        expect(view(world)).toMatchObject({ saveError: error, values: { title: 'Old boats' } });
        expect(world.page.told.refusals).toBe(1);
        const later = openPage(world.service, world.page.stored).openForm(boats);
        expect(later.view().values).toMatchObject(view(world).edits);
        later.leave();
        press('retry')(world);
        await world.page.rest();
        expectSaved(world, { title: 'Old boats', is_draft: want !== wanted[0] });
      }
    }
  });

  test('Retry repeats publishing without edits, and a failure after leaving the form is reported', async () => {
    const error = refusal('internal_error', 500);
    const world = await play(await openWorld(boats, { is_draft: true }), [
      press('publish'),
      ({ service }) => service.refuse(error),
      press('retry'),
    ]);
    await world.page.rest();
    expectSaved(world, { is_draft: false });
    await play(world, [press('leave'), undo, ({ service }) => service.refuse(error)]);
    expect(world.page.told.failures).toEqual([error]);
    expect(world.service.find(boats)).toMatchObject({ is_draft: false });
  });

  test('edits made without a network are saved when it returns', async () => {
    const world = await openWorld(boats, { is_draft: true });
    world.form.setOnline(false);
    await play(world, [type('title', 'Boats at sea'), pause, ({ service }) => service.refuse()]);
    expect(view(world)).toMatchObject({ isOffline: true, edits: { title: 'Boats at sea' } });
    await play(world, [pause, pause]);
    expect(world.service.isWaiting()).toBe(false);
    world.form.setOnline(true);
    await world.page.rest();
    expectSaved(world, { title: 'Boats at sea' });
  });

  test('a refused field is marked, keeps its value, and does not delay the others', async () => {
    const world = await play(await openWorld(boats, { is_draft: true }), [
      type('slug', 'taken'),
      pause,
      ({ service }) =>
        service.refuse(
          Object.assign(new Error('slug: is taken'), {
            data: {
              code: 'validation_failed',
              httpStatus: 400,
              fields: [{ path: 'slug', message: 'is taken' }],
            },
          }),
        ),
      type('title', 'Old boats'),
    ]);
    await world.page.rest();
    expect(world.service.find(boats)).toMatchObject({ title: 'Old boats' });
    expect(view(world)).toMatchObject({ problems: { slug: 'is taken' }, edits: { slug: 'taken' } });
    await play(world, [type('slug', 'free')]);
    await world.page.rest();
    expectSaved(world, { slug: 'free' });
  });

  test('Undo of publishing works despite an invalid edit', async () => {
    const world = await play(await openWorld(boats, { is_draft: true }), [press('publish')]);
    await world.page.rest();
    await play(world, [type('slug', 'Not a slug'), undo]);
    await world.page.rest();
    expect(world.service.find(boats)).toMatchObject({ is_draft: true });
    expect(view(world).edits).toEqual({ slug: 'Not a slug' });
  });

  test('a record without drafts whose first answer was lost gets later edits by the click that repeats the request', async () => {
    const world = await play(await openWorld(undefined, {}, resources.skills), [
      type('name', 'Sail'),
      press('save'),
      ({ service }) => service.loseAnswer(),
      type('name', 'Sailing'),
      press('save'),
    ]);
    await world.page.rest();
    expect(new Set(world.service.keys).size).toBe(1);
    expectSaved(world, { name: 'Sailing' });
  });

  test('values sent by this form are not a conflict, even with a lost answer and later edits', async () => {
    for (const [is_draft, save] of [
      [true, pause],
      [true, press('save')],
      [false, press('save')],
    ] as const) {
      const world = await play(await openWorld(boats, { is_draft }), [
        type('title', 'Old boats'),
        save,
        ({ service }) => service.loseAnswer(),
        type('title', 'New boats'),
        save,
      ]);
      await world.page.rest();
      expectSaved(world, { title: 'New boats' });
    }
  });

  test('if another writer restores an own earlier title while the newer one is edited, saving is a conflict', async () => {
    const world = await play(await openWorld(boats), [type('title', 'A'), press('save')]);
    await world.page.rest();
    await play(world, [
      ({ service }) => service.write(boats, { title: 'B' }),
      ({ page }) => page.look(),
      type('title', 'C'),
      ({ service }) => service.write(boats, { title: 'A' }),
      press('save'),
    ]);
    await world.page.rest();
    expect(view(world)).toMatchObject({ conflicts: ['title'], isComparing: true });
    expect(ofOwner(world)).toHaveLength(1);
  });

  test('a written value without an answer is not a conflict, even if a later request was refused', async () => {
    const world = await play(await openWorld(boats), [
      type('title', 'A'),
      press('save'),
      ({ service }) => service.loseAnswer(),
      type('title', 'B'),
      press('save'),
      ({ service }) => service.refuse(refusal('validation_failed', 400)),
      ({ page }) => page.look(),
    ]);
    expect(view(world).conflicts).toEqual([]);
    press('save')(world);
    await world.page.rest();
    expectSaved(world, { title: 'B' });
  });

  test('values that the contract refuses are not sent', async () => {
    const world = await play(await openWorld(boats), [type('slug', 'Not a slug'), press('save')]);
    expect(world.service.isWaiting()).toBe(false);
    expect(world.page.told.refusals).toBe(1);
    expect(Object.keys(view(world).problems)).toEqual(['slug']);
  });
});
