import { describe, expect, test } from 'vitest';
import { unsetOf } from '../../client/studio/records/record/session/store.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { createRecordService, interleavings, openPage, refusal, settled } from '../support/record-page.ts';

/** ID of an existing record. */
const boats = 'boats0000000000';

type Form = ReturnType<ReturnType<typeof openPage>['openForm']>;

/** A page with one open form, and its service. */
async function openWorld(id?: string, values: object = {}, resource: Resource = resources.posts) {
  const service = createRecordService(unsetOf(resource));
  if (id) service.write(id, { title: 'Boats', is_draft: false, ...values });
  const page = openPage(service);
  const world = { service, page, form: page.openForm(id, resource) };
  await settled();
  return world;
}

type World = Awaited<ReturnType<typeof openWorld>>;
type Step = (world: World) => void;

const type =
  (name: string, value: unknown): Step =>
  ({ form }) =>
    form.change(name, value);
const press =
  (action: 'save' | 'publish' | 'unpublish' | 'discard' | 'retry' | 'leave'): Step =>
  ({ form }) =>
    form[action]();
const undo: Step = ({ page }) => page.undo();
const pause: Step = ({ page }) => page.pause();
/** Delivers the next request or answer. */
const network: Step = ({ service }) => service.goOn();
const networks = (count: number) => Array.from({ length: count }, () => network);

async function play(world: World, steps: readonly Step[]): Promise<World> {
  for (const step of steps) {
    step(world);
    await settled();
  }
  return world;
}

const messages = ({ page }: World) => page.toasts.map(({ message }) => message);
const view = ({ form }: { form: Form }) => form.view();
const ofOwner = ({ service }: World) => service.writes.filter(({ by }) => by === 'owner');

/** Checks the final state: all edits are saved, and no write contained unchanged fields. */
function expectSaved(world: World, expected: object) {
  const [record, ...others] = world.service.all();
  expect(others).toEqual([]);
  expect(record).toMatchObject(expected);
  expect(view(world)).toMatchObject({
    hasEdits: false,
    isSaving: false,
    isPublishing: false,
    saveError: null,
  });
  expect(world.page.storage.names()).toEqual([]);
  for (const { values, before } of ofOwner(world)) {
    if (!before.id) continue;
    const { is_draft: _, ...fields } = values;
    expect(Object.entries(fields).filter(([name, value]) => before[name] === value)).toEqual([]);
  }
}

describe('in any order of answers', () => {
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

describe('when the service does not accept a write', () => {
  test.each([
    ['without a network', new TypeError('Failed to fetch')],
    ['by a service that fails', refusal('internal_error', 500)],
    ['by a service that is busy', refusal('database_busy', 503)],
    ['over a limit', refusal('rate_limited', 429)],
  ])('%s no edits are lost, and Retry repeats the failed action', async (_, error) => {
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
