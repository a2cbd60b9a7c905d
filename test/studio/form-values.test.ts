import { expect, test } from 'vitest';
import { typeInto } from '../../client/studio/forms/edits.ts';
import { createFormValues } from '../../client/studio/forms/form-values.ts';
import { isConflict } from '../../client/studio/forms/update-with-retry.ts';
import { storageOf } from '../../client/studio/ui/browser-storage.ts';
import { memoryStorage } from '../support/memory-storage.ts';
import { refusal } from '../support/record-page.ts';

interface Profile {
  headline: string;
}

const lost = () => new TypeError('Failed to fetch');

/** A form of a profile, and a service that other clients write to as well. */
function openProfile() {
  let [headline, revision] = ['Old', 1];
  const written: string[] = [];
  const put = (to: string) => {
    headline = to;
    revision++;
  };
  const failures: { read?: Error; refusal?: Error; answer?: Error } = {};
  const read = async () => {
    if (failures.read) throw failures.read;
    return { values: { headline }, tag: `${revision}` };
  };
  const change = {
    tag: '1',
    read,
    write: async (input: Record<string, unknown>, { ifMatch }: { ifMatch?: string | undefined }) => {
      if (failures.refusal) throw failures.refusal;
      if (ifMatch !== `${revision}`) throw refusal('precondition_failed', 412);
      put(String(input.headline));
      written.push(headline);
      if (failures.answer) throw failures.answer;
    },
  };
  const way = { change };
  const form = createFormValues<Profile, never>({
    storage: storageOf({ siteId: 'harbour', ownerId: 'ada' }, memoryStorage),
    initial: { headline },
    fields: {},
    way,
    tell: expect.unreachable,
  });
  return {
    written,
    /** Sets the errors of the next requests. */
    fail: (how: typeof failures) => {
      for (const name of ['read', 'refusal', 'answer'] as const) delete failures[name];
      Object.assign(failures, how);
    },
    /** Writes as another client. */
    put,
    look: async () => form.change({ saved: await read() }),
    conflicts: () => form.standing().conflicts,
    type: (value: string) => {
      const { saved } = form.get();
      form.change({ typed: typeInto(form.get(), 'headline', { value, base: saved.values.headline }) });
    },
    /** Returns the error, or null. */
    save: () => form.send(way, form.toSend()).catch((error: unknown) => error),
  };
}

test('a value that the user saved earlier is a conflict if another writer restored it over a newer one', async () => {
  const profile = openProfile();
  profile.type('A');
  expect(await profile.save()).toBeNull();
  profile.put('B');
  await profile.look();
  profile.type('C');
  profile.put('A');
  expect(await profile.save()).toSatisfy(isConflict);
  expect([profile.conflicts(), profile.written]).toEqual([['headline'], ['A']]);
});

test.each([
  ['the newer value could not be read', { read: lost() }],
  ['it was refused', { refusal: refusal('validation_failed', 400) }],
])(
  'a written value without an answer is not a conflict, though a later save followed and %s',
  async (_, failure) => {
    const profile = openProfile();
    profile.type('A');
    profile.fail({ answer: lost() });
    await profile.save();
    profile.type('B');
    profile.fail(failure);
    await profile.save();
    profile.fail({});
    await profile.look();
    expect(profile.conflicts()).toEqual([]);
    expect([await profile.save(), profile.written]).toEqual([null, ['A', 'B']]);
  },
);

test('a value that the service refused is a conflict if another writer saves the same value', async () => {
  const profile = openProfile();
  profile.type('A');
  profile.fail({ refusal: refusal('validation_failed', 400) });
  await profile.save();
  profile.fail({});
  profile.type('B');
  profile.put('A');
  expect(await profile.save()).toSatisfy(isConflict);
  expect(profile.conflicts()).toEqual(['headline']);
});
