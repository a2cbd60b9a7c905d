import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { type RestResource, recordsOf, restResources, shown } from '../support/content.ts';
import { failure } from '../support/http.ts';

// Bodies are strict: sizes are limited, and values are never coerced. Checked for every resource.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();

/** Maximum number of characters of each text. URLs have 2,000, descriptions 50,000, slugs 200. */
const lengths: Record<string, Record<string, number>> = {
  posts: { title: 500, content: 500_000, excerpt: 1_000, access_tier: 50 },
  projects: { title: 200, status: 50 },
  courses: { title: 200, instructor_name: 200, instructor_bio: 5_000, access_tier: 50, difficulty: 50 },
  talks: { title: 500, event: 200, location: 200 },
  experience: { company: 200, title: 200, location: 200 },
  education: { institution: 200, degree: 200, field: 200 },
  skills: { name: 100, category: 100, proficiency: 50 },
  certifications: { name: 200, issuer: 200, credential_id: 200 },
};

test.for(restResources)('$collection: the longest values are accepted', async (resource) => {
  const records = recordsOf(app, resource.collection, key);
  const longestRecord = { ...resource.full, ...Object.fromEntries(createLongestValues(resource)) };
  const id = await records.add(longestRecord);
  if (resource.collection === 'posts') {
    Object.assign(longestRecord, { access_tier: 'free' });
    await records.update(id, { access_tier: 'free' });
  }
  expect(await records.find(id)).toMatchObject(shown(resource.collection, longestRecord));
});

test.for(restResources)('$collection: a longer value is refused', async (resource) => {
  const longestRecord = createLongestValues(resource);
  const longer = longestRecord.map(([name, value]): Attempt => {
    return [name, Array.isArray(value) ? [...value, 'one more'] : `${value}x`];
  });
  const longerItems = longestRecord.flatMap(([name, value]): Attempt[] =>
    Array.isArray(value) ? [[name, ['fine', `${value[0]}x`]]] : [],
  );
  expect(await notRefused(resource, longer)).toEqual([]);
  expect(await notRefused(resource, longerItems)).toEqual([]);
});

test.for(restResources)(
  '$collection: a value of another type is refused, never coerced',
  async (resource) => {
    const wrong: Record<string, unknown[]> = {
      text: [1, 0, true, false, {}, [], ['text']],
      'text[]': ['text', '', 1, true, {}, [1], [true], [null], [['text']], ['text', {}]],
      boolean: ['true', 'false', '', 1, 0, {}, []],
      integer: ['1', '', true, {}, [], [1], 1.5, 2 ** 31, -(2 ** 31) - 1, 1e300],
      numeric: ['1', '1.50', '', true, {}, [], [1], -0.01, -1e300],
      'timestamptz(3)': [1, 0, true, {}, [], '', 'now', '1700000000'],
    };
    for (let round = 0; round < 10; round += 1) {
      const attempts = Object.entries(resource.fields).flatMap(([name, { column }]): Attempt[] => {
        const values = wrong[column] ?? [];
        return round < values.length ? [[name, values[round]]] : [];
      });
      expect(await notRefused(resource, attempts)).toEqual([]);
    }
  },
);

test.for(restResources)(
  '$collection: NUL and half of a surrogate pair are refused in every text',
  async (resource) => {
    for (const bad of ['\0', 'a\0b', '\ud800', 'a\udc00b']) {
      const attempts = Object.entries(resource.full).flatMap(([name, example]): Attempt[] => {
        if (Array.isArray(example)) return [[name, ['fine', bad]]];
        return typeof example === 'string' ? [[name, `${example}${bad}`]] : [];
      });
      expect(await notRefused(resource, attempts)).toEqual([]);
    }
  },
);

test.for(restResources)('$collection: visibility is one of three exact words', async (resource) => {
  for (const value of ['Public', ' public', 'PRIVATE', 'hidden', '', 'public,private']) {
    expect(await notRefused(resource, [['visibility', value]])).toEqual([]);
  }
});

test.for(restResources)(
  '$collection: a required field cannot be left out, null or empty',
  async (resource) => {
    const { collection, min } = resource;
    const { create } = recordsOf(app, collection, key);
    const missing = Object.keys(min).map((name) => `${name}: is required`);
    expect(await create({})).toEqual(failure(400, 'validation_failed', missing.join('; ')));
    for (const value of [null, '']) {
      const attempts = Object.keys(min).map((name): Attempt => [name, value]);
      expect(await notRefused(resource, attempts)).toEqual([]);
    }
  },
);

test.for(restResources)('$collection: an unknown field is refused with its name', async (resource) => {
  const { collection, full, min } = resource;
  const records = recordsOf(app, collection, key);
  const id = await records.add(min);
  const others = restResources.flatMap((other) => Object.keys(other.full)).filter((name) => !(name in full));
  const never = ['site_id', 'created', 'updated', 'is_gated', 'constructor', 'toString', 'Title', ''];
  for (const names of chunks([...new Set(others), ...never], 5)) {
    const unlisted = Object.fromEntries(names.map((name) => [name, null]));
    const message = names.map((name) => (name ? `${name}: ${unknown}` : unknown)).join('; ');
    expect(await records.create({ ...min, ...unlisted })).toEqual(failure(400, 'validation_failed', message));
    expect(await records.update(id, unlisted)).toEqual(failure(400, 'validation_failed', message));
  }
  const idRefused = failure(400, 'validation_failed', `id: ${unknown}`);
  expect(await records.create({ ...min, id })).toEqual(idRefused);
  expect(await records.update(id, { id })).toEqual(idRefused);
});

test.for(restResources)('$collection: __proto__ is refused as an unknown field', async (resource) => {
  const path = `/api/v1/${resource.collection}`;
  const id = await recordsOf(app, resource.collection, key).add(resource.min);
  const min = JSON.stringify(resource.min).slice(1, -1);
  const refusal = failure(400, 'validation_failed', `__proto__: ${unknown}`);
  expect(await app.post(path, { key, body: `{${min},"__proto__":{"visibility":"private"}}` })).toEqual(
    refusal,
  );
  expect(await app.patch(`${path}/${id}`, { key, body: '{"__proto__":null}' })).toEqual(refusal);
});

test('a message names at most ten of the invalid fields, and the number of the others', async () => {
  const wrong = { title: 1, slug: 1, description: 1, price: '1', tags: 1, visibility: 1, is_draft: 1 };
  const more = { difficulty: 1, access_tier: 1, instructor_name: 1, instructor_bio: 1, surprise: 1 };
  const { create } = recordsOf(app, 'courses', key);
  const { body } = await create({ ...wrong, ...more });
  const { message } = (body as { error: { message: string } }).error;
  expect(message.split('; ')).toHaveLength(11);
  expect(message).toMatch(/; and 2 more$/);
});

const unknown = 'is not a known field';

type Attempt = [name: string, value: unknown];

/** The longest text, or list of texts, of each field with a maximum length, in characters that need the most bytes. */
function createLongestValues({
  collection,
  fields,
}: RestResource): [name: string, value: string | string[]][] {
  return Object.keys(fields).flatMap((name): [string, string | string[]][] => {
    const long = createLongestText(name, lengths[collection]?.[name]);
    if (long) return [[name, long]];
    return fields[name]?.column === 'text[]'
      ? [[name, Array.from({ length: 100 }, () => '漢'.repeat(200))]]
      : [];
  });
}

function createLongestText(name: string, length: number | undefined): string | undefined {
  if (name === 'slug') return 'a'.repeat(200);
  if (name === 'description') return '漢'.repeat(50_000);
  if (/(^|_)url$/.test(name)) return 'https://example.com/'.padEnd(2_000, 'a');
  return length === undefined ? undefined : '漢'.repeat(length);
}

/**
 * Attempts that are not refused, on create or on update, with a message that names the field. Sends a few fields per
 * request. Fails if anything was stored.
 */
async function notRefused({ collection, min }: RestResource, attempts: readonly Attempt[]) {
  const records = recordsOf(app, collection, key);
  const id = await records.add(min);
  const before = await records.find(id);
  const requested = chunks(attempts, 5).map(async (some) => {
    const values = Object.fromEntries(some);
    const answers = [await records.create({ ...min, ...values }), await records.update(id, values)];
    return answers.flatMap((answer) =>
      some.filter(([name]) => !named(answer.status, answer.body).includes(name)),
    );
  });
  const wrong = (await Promise.all(requested)).flat();
  expect(await records.find(id)).toEqual(before);
  return wrong;
}

/** Fields that a `validation_failed` response names. */
function named(status: number, body: unknown): string[] {
  const { error } = body as { error?: { code: string; message: string } };
  if (status !== 400 || error?.code !== 'validation_failed') return [];
  return error.message.split('; ').map((issue) => /^\w+/.exec(issue)?.[0] ?? '');
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
