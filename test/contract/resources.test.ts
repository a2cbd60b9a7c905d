import { afterAll, expect, test } from 'vitest';
import { specifiedResources } from '../spec.ts';
import { startApp } from '../support/app.ts';
import { type RestResource, recordsOf, restResources, shown, type Values } from '../support/content.ts';
import { failure } from '../support/http.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();

const now = () => app.clock.now().toISOString().replace('T', ' ');
const updated = { status: 200, body: { status: 'updated' } };
const deleted = { status: 200, body: { status: 'deleted' } };

test('each resource has the specified fields, and requires those that are marked', () => {
  const declared = restResources.map(({ collection, full, min }) => {
    const fields = Object.keys(full).map((name) => (name in min ? `${name}*` : name));
    return [collection, fields.join(' ')];
  });
  const specified = Object.entries(specifiedResources).map(([collection, { fields }]) => [
    collection,
    fields,
  ]);
  expect(declared).toEqual(specified);
});

test.for(restResources)('$collection: a record stores every field', async ({ collection, full, bySlug }) => {
  const records = recordsOf(app, collection, key);
  const created = await records.create(full);
  expect(created).toEqual({
    status: 201,
    body: { id: expect.stringMatching(/^[a-z0-9]{15}$/), created: now() },
  });
  const { id } = created.body as { id: string };
  const record = { id, ...shown(collection, full), created: now(), updated: now() };
  expect(await records.find(id)).toEqual(record);
  if (bySlug) expect(await records.get(String(full.slug))).toEqual({ status: 200, body: record });
});

test.for(restResources)(
  '$collection: a field that is left out, null or empty reads as unset',
  async (resource) => {
    const { collection, full, min } = resource;
    const records = recordsOf(app, collection, key);
    const optional = Object.keys(full).filter((name) => !(name in min));
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    const empties = Object.fromEntries(optional.map((name) => [name, emptyValue(resource, name)]));
    const changed = await records.add({ ...full, slug: undefined });
    expect(await records.update(changed, nulls)).toEqual(updated);
    const ids = [
      await records.add(min),
      await records.add({ ...min, ...nulls }),
      await records.add({ ...min, ...empties }),
      changed,
    ];
    const unset = Object.fromEntries(optional.map((name) => [name, unsetValue(resource, name)]));
    for (const id of ids) {
      const record = { ...min, ...unset, id, created: now(), updated: now() };
      expect(await records.find(id)).toEqual(shown(collection, record));
    }
  },
);

test.for(restResources)('$collection: text is stored unchanged, in any script', async (resource) => {
  const { collection, full } = resource;
  const records = recordsOf(app, collection, key);
  const odd = ' Ünï 漢字 🎉\u200f\r\n\t<b>&amp;</b> \\ "q" \u0001 ';
  const oddList = [odd, '', ' ', 'null', 'NULL', '{a,b}', "'", '"', '\\', ','];
  const texts = Object.keys(full).filter((name) => isFreeText(resource, name));
  const values = Object.fromEntries(texts.map((name) => [name, Array.isArray(full[name]) ? oddList : odd]));
  const id = await records.add({ ...full, ...values, slug: undefined });
  expect(await records.find(id)).toMatchObject(values);
  await records.update(id, { visibility: 'public' });
  expect(await records.find(id)).toMatchObject(values);
});

/** Values that JSON or the database could change, by collection and field. */
const exactly: Record<string, Record<string, unknown[]>> = {
  courses: {
    price: [0, 0.1, 0.29, 1.1, 19.99, 49.5, 1_000_000.07, 9_007_199_254_740_991],
    estimated_hours: [0, 0.1 + 0.2, 1 / 3, 1e-7, 123_456_789.123],
    sort_order: [0, -1, 2 ** 31 - 1, -(2 ** 31)],
  },
  talks: {
    date: ['2026', '2026-05', '2026-05-09', '2026-05-09T10:00:00+02:00', '2026-05-09 10:00:00.123Z', '0001'],
    event_url: [
      'http://example.com',
      'https://bücher.example/straße?q=a b'.replace(' ', '+'),
      'HTTPS://EXAMPLE.com/%7e',
    ],
  },
};

const exactFields = Object.entries(exactly).flatMap(([collection, fields]) =>
  Object.entries(fields).map(([field, values]) => ({ collection, field, values })),
);

test.for(exactFields)(
  '$collection: $field reads exactly as it was written',
  async ({ collection, field, values }) => {
    const records = recordsOf(app, collection, key);
    const id = await records.add({ title: 'Exactly' });
    for (const value of values) {
      await records.update(id, { [field]: value });
      expect(await records.find(id)).toMatchObject({ [field]: value });
    }
  },
);

test.for(restResources)('$collection: an empty update changes nothing', async ({ collection, full }) => {
  const records = recordsOf(app, collection, key);
  const id = await records.add({ ...full, slug: undefined });
  const before = await records.find(id);
  app.clock.advance({ minutes: 1 });
  expect(await records.update(id, {})).toEqual(updated);
  expect(await records.find(id)).toEqual(before);
});

test.for(restResources)(
  '$collection: an update of one field does not change the others',
  async (resource) => {
    const { collection, full, min } = resource;
    const records = recordsOf(app, collection, key);
    const id = await records.add(Object.fromEntries(Object.keys(min).map((name) => [name, 'Another'])));
    for (const [name, example] of Object.entries(full)) {
      const value = name === 'slug' ? 'another-slug' : example;
      const before = await records.find(id);
      app.clock.advance({ minutes: 1 });
      expect(await records.update(id, { [name]: value })).toEqual(updated);
      expect(await records.find(id)).toEqual({
        ...before,
        ...shown(collection, { [name]: value }),
        updated: now(),
      });
    }
  },
);

test.for(restResources)('$collection: a deleted record is not_found', async (resource) => {
  const { collection, min, bySlug } = resource;
  const records = recordsOf(app, collection, key);
  const id = await records.add(min);
  const { slug } = (await records.find(id)) ?? {};
  expect(await records.remove(id)).toEqual(deleted);
  expect(await records.find(id)).toBeUndefined();
  expect(await records.remove(id)).toEqual(failure(404, 'not_found'));
  expect(await records.update(id, min)).toEqual(failure(404, 'not_found'));
  if (bySlug) expect(await records.get(String(slug))).toEqual(failure(404, 'not_found'));
});

test.for(restResources)('$collection: an unknown or malformed id is not_found', async (resource) => {
  const { collection, min } = resource;
  const records = recordsOf(app, collection, key);
  const id = await records.add(min);
  const strange = [
    'a'.repeat(15),
    id.toUpperCase().replace(/^\d/, 'A'),
    id.slice(1),
    `${id}0`,
    `${id}%20`,
    `${id}%00`,
    `%2e%2e%2f${id}`,
    encodeURIComponent("' or 1=1 --"),
    encodeURIComponent('漢字🎉'),
    'hello-world',
    '-1',
    'null',
    'a'.repeat(600),
  ];
  for (const other of strange) {
    expect([other, await records.update(other, min)]).toEqual([other, failure(404, 'not_found')]);
    expect([other, await records.remove(other)]).toEqual([other, failure(404, 'not_found')]);
  }
  expect(await records.find(id)).toBeDefined();
});

test.for(restResources)(
  '$collection: only public records that are not drafts can be read',
  async (resource) => {
    const { collection, full, min, bySlug } = resource;
    const records = recordsOf(app, collection, key);
    const before = await records.list();
    const hidden: Values[] = [{ visibility: 'unlisted' }, { visibility: 'private' }];
    if ('is_draft' in full) hidden.push({ is_draft: true }, { is_draft: true, visibility: 'private' });
    for (const [index, state] of hidden.entries()) {
      const slug = `hidden-${index}`;
      const id = await records.add({ ...min, ...state, ...('slug' in full && { slug }) });
      expect(await records.list()).toEqual(before);
      if (bySlug) expect(await records.get(slug)).toEqual(failure(404, 'not_found'));
      await records.update(id, { visibility: 'public', ...('is_draft' in full && { is_draft: false }) });
      expect(await records.find(id)).toMatchObject({ id, visibility: 'public' });
      await records.update(id, state);
      expect(await records.list()).toEqual(before);
    }
  },
);

test.for(restResources)(
  '$collection: a list is newest first, and records of the same time are ordered by id',
  async (resource) => {
    const records = recordsOf(app, resource.collection, key);
    for (const pause of [0, 0, 5, 0, 5]) {
      app.clock.advance({ ms: pause });
      await Promise.all([records.add(resource.min), records.add(resource.min)]);
    }
    const positions = (await records.list()).map(({ created, id }) => `${created} ${id}`);
    expect(positions).toEqual(positions.toSorted().reverse());
    expect(new Set(positions).size).toBe(positions.length);
  },
);

/** Value of a field that was never set (docs/reference/records.md#unset-values). */
function unsetValue({ fields }: RestResource, name: string): unknown {
  if (name === 'visibility') return 'public';
  if (name === 'access_tier') return 'free';
  if (name === 'published_at') return now();
  if (name === 'slug') return expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  if (/(^|_)date$/.test(name)) return null;
  const unset = { text: '', 'text[]': [], boolean: false, integer: 0, numeric: null, 'timestamptz(3)': null };
  return unset[fields[name]?.column ?? 'text'];
}

/**
 * Value that unsets a field, other than null: `""` for text and URLs, an empty list for lists. Undefined for other fields.
 */
function emptyValue({ fields }: RestResource, name: string): unknown {
  if (name === 'visibility' || /(^|_)date$/.test(name)) return undefined;
  const empty = { text: '', 'text[]': [] } as Record<string, unknown>;
  return empty[fields[name]?.column ?? ''];
}

/** True if a field accepts any text: it is not a URL, date, choice or slug. */
function isFreeText({ collection, fields }: RestResource, name: string): boolean {
  const column = fields[name]?.column;
  const shaped = /(^|_)(url|date)$|^(slug|visibility)$/.test(name);
  const closesPost = collection === 'posts' && name === 'access_tier';
  return (column === 'text' || column === 'text[]') && !shaped && !closesPost;
}
