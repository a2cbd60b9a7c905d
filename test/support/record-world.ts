import { expect } from 'vitest';
import { unsetOf } from '../../client/studio/records/record/session/store.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { createRecordService, openPage, settled } from './record-page.ts';

/** ID of an existing record. */
export const boats = 'boats0000000000';

type Form = ReturnType<ReturnType<typeof openPage>['openForm']>;

/** A page with one open form, and its service. */
export async function openWorld(id?: string, values: object = {}, resource: Resource = resources.posts) {
  const service = createRecordService(unsetOf(resource));
  if (id) service.write(id, { title: 'Boats', is_draft: false, ...values });
  const page = openPage(service);
  const world = { service, page, form: page.openForm(id, resource) };
  await settled();
  return world;
}

export type World = Awaited<ReturnType<typeof openWorld>>;
export type Step = (world: World) => void;

export const type =
  (name: string, value: unknown): Step =>
  ({ form }) =>
    form.change(name, value);
export const press =
  (action: 'save' | 'publish' | 'unpublish' | 'discard' | 'retry' | 'leave'): Step =>
  ({ form }) =>
    form[action]();
export const undo: Step = ({ page }) => page.undo();
export const pause: Step = ({ page }) => page.pause();
/** Delivers the next request or answer. */
export const network: Step = ({ service }) => service.goOn();
export const networks = (count: number) => Array.from({ length: count }, () => network);

export async function play(world: World, steps: readonly Step[]): Promise<World> {
  for (const step of steps) {
    step(world);
    await settled();
  }
  return world;
}

export const messages = ({ page }: World) => page.toasts.map(({ message }) => message);
export const view = ({ form }: { form: Form }) => form.view();
export const ofOwner = ({ service }: World) => service.writes.filter(({ by }) => by === 'owner');

/** Checks the final state: all edits are saved, and no write contained unchanged fields. */
export function expectSaved(world: World, expected: object) {
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
