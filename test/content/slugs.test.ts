import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { type RestResource, recordsOf, restResources } from '../support/content.ts';
import { failure } from '../support/http.ts';

// Tests docs/reference/records.md#slugs on every resource with slugs.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();

const sluggish = restResources.filter(({ full }) => 'slug' in full);
const taken = failure(400, 'validation_failed', 'slug: already in use');

const titles: Record<string, string> = {
  'Hello, world!': 'hello-world',
  'Héllo, wörld': 'hello-woerld',
  'Déjà vu: naïve façade': 'deja-vu-naive-facade',
  'Привет мир': 'privet-mir',
  Ελληνικά: 'ellinika',
  '  Blanks   and\ttabs\n': 'blanks-and-tabs',
  'PostgreSQL and JavaScript': 'postgresql-and-javascript',
  '--Already--a--slug--': 'already-a-slug',
  'C++ & C#': 'c-and-c',
  'Rock 🎸 & roll': 'rock-and-roll',
  '2026': '2026',
  '../../etc/passwd': 'etc-passwd',
};

test.for(Object.entries(titles))('title "%s" becomes slug %s', async ([title, slug]) => {
  const posts = recordsOf(app, 'posts', key);
  expect(await posts.find(await posts.add({ title }))).toMatchObject({ title, slug });
});

test.for(['🎉', '漢字', '!!!', '   ', '\u200b'])(
  'a title without letters or digits, "%s", gets its id as slug',
  async (title) => {
    const posts = recordsOf(app, 'posts', key);
    const id = await posts.add({ title });
    expect(await posts.find(id)).toMatchObject({ title, slug: id });
  },
);

test('the slug of a long title ends with a whole word', async () => {
  const posts = recordsOf(app, 'posts', key);
  const words = 'She sailed around the world. '.repeat(10).trim();
  const whole = 'she-sailed-around-the-world-'.repeat(6);
  expect(await posts.find(await posts.add({ title: words }))).toMatchObject({ slug: `${whole}she-sailed` });
});

test('the slug of a long title has at most 200 characters, also if it is taken', async () => {
  const posts = recordsOf(app, 'posts', key);
  const title = `${'a'.repeat(179)} b ${'c'.repeat(300)}`;
  const first = await posts.find(await posts.add({ title }));
  const second = await posts.find(await posts.add({ title }));
  expect([first?.slug, second?.slug]).toEqual(['a'.repeat(179), `${'a'.repeat(179)}-2`]);
});

test.for(sluggish)('$collection: equal titles get -2, -3 and so on, in the first gap', async (resource) => {
  const { slugsOf, add } = slugger(resource);
  const ids = [await add('The same'), await add('The same'), await add('the SAME!'), await add('The same')];
  expect(await slugsOf(ids)).toEqual(['the-same', 'the-same-2', 'the-same-3', 'the-same-4']);
  await recordsOf(app, resource.collection, key).remove(ids[1] ?? '');
  await add('The same 2026');
  expect(await slugsOf([await add('The same'), await add('The same')])).toEqual(['the-same-2', 'the-same-5']);
});

test.for(sluggish)(
  '$collection: forty records that are created concurrently with one title all get a slug',
  async (resource) => {
    const { slugsOf, add } = slugger(resource);
    const ids = await Promise.all(Array.from({ length: 40 }, () => add('All at once')));
    const numbers = Array.from({ length: 39 }, (_, index) => `all-at-once-${index + 2}`);
    expect((await slugsOf(ids)).toSorted()).toEqual(['all-at-once', ...numbers].toSorted());
  },
);

test.for(sluggish)(
  '$collection: a given slug that is taken is refused, and nothing is stored',
  async (resource) => {
    const { collection, min: minimal } = resource;
    const records = recordsOf(app, collection, key);
    await records.add({ ...minimal, slug: 'mine' });
    const other = await records.add({ ...minimal, slug: 'other' });
    const before = await records.list();
    app.clock.advance({ minutes: 1 });
    expect(await records.create({ ...minimal, slug: 'mine' })).toEqual(taken);
    expect(await records.update(other, { slug: 'mine' })).toEqual(taken);
    expect(await records.list()).toEqual(before);
    expect((await records.update(other, { slug: 'other' })).status).toBe(200);
  },
);

test.for(sluggish)('$collection: the slug of a hidden record stays taken', async (resource) => {
  const { collection, min: minimal } = resource;
  const records = recordsOf(app, collection, key);
  await records.add({ ...minimal, slug: 'hidden', is_draft: true });
  expect(await records.create({ ...minimal, slug: 'hidden' })).toEqual(taken);
});

test.for(sluggish)('$collection: the slug of a deleted record is available again', async (resource) => {
  const { collection, min: minimal } = resource;
  const records = recordsOf(app, collection, key);
  await records.remove(await records.add({ ...minimal, slug: 'reused' }));
  const id = await records.add({ ...minimal, slug: 'reused' });
  expect(await records.find(id)).toMatchObject({ slug: 'reused' });
});

test.for(sluggish)(
  '$collection: a new title keeps the slug; null or an empty slug recreates it',
  async (resource) => {
    const { slugsOf, add } = slugger(resource);
    const records = recordsOf(app, resource.collection, key);
    const id = await add('First title');
    await records.update(id, { title: 'Second title' });
    expect(await slugsOf([id])).toEqual(['first-title']);
    await records.update(id, { slug: null });
    expect(await slugsOf([id])).toEqual(['second-title']);
    await records.update(id, { slug: '' });
    expect(await slugsOf([id])).toEqual(['second-title']);
    await add('Third title');
    await records.update(id, { slug: null, title: 'Third title' });
    expect(await slugsOf([id])).toEqual(['third-title-2']);
  },
);

test('an unknown slug returns not_found, and one that cannot be decoded invalid_request', async () => {
  for (const slug of [
    'none',
    'UPPER',
    'a_b',
    '-a',
    'a--b',
    '%20',
    '%00',
    '%2e%2e',
    '%E6%BC%A2',
    'a'.repeat(201),
    '%61'.repeat(200),
  ]) {
    expect([slug, await app.get(`/api/v1/posts/${slug}`, { key })]).toEqual([
      slug,
      failure(404, 'not_found'),
    ]);
  }
  for (const slug of ['%', '%zz', '%E6%BC', '%ff', 'a%']) {
    expect([slug, await app.get(`/api/v1/posts/${slug}`, { key })]).toEqual([
      slug,
      failure(400, 'invalid_request', 'the path is not percent-encoded UTF-8'),
    ]);
  }
});

test('a slug may be percent-encoded', async () => {
  const posts = recordsOf(app, 'posts', key);
  const id = await posts.add({ title: 'Encoded', slug: 'encoded' });
  expect(await posts.get('%65ncoded')).toMatchObject({ status: 200, body: { id } });
});

test('GET reads the parameter as a slug, PATCH and DELETE as an id', async () => {
  const posts = recordsOf(app, 'posts', key);
  const id = await posts.add({ title: 'Slug or id', slug: 'slug-or-id' });
  expect(await posts.get(id)).toEqual(failure(404, 'not_found'));
  expect(await posts.update('slug-or-id', {})).toEqual(failure(404, 'not_found'));
  expect(await posts.remove('slug-or-id')).toEqual(failure(404, 'not_found'));
  const namesake = await posts.add({ title: 'Its slug is an id', slug: id });
  expect(await posts.get(id)).toMatchObject({ status: 200, body: { id: namesake } });
});

/** Returns functions that add records of a resource by title, and read their slugs. */
function slugger({ collection, min: minimal }: RestResource) {
  const records = recordsOf(app, collection, key);
  return {
    add: (title: string) => records.add({ ...minimal, title }),
    async slugsOf(ids: string[]) {
      const slugs = new Map((await records.list()).map(({ id, slug }) => [id, String(slug)]));
      return ids.map((id) => slugs.get(id) ?? 'none');
    },
  };
}
