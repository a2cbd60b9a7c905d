import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { nearlyValuesOf } from '../support/arbitraries.ts';
import { readOperations } from '../support/operations.ts';
import { ownerClient } from '../support/rpc.ts';

// An invalid field is reported by a message that begins with its name, and in `fields` for programs.

const app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] } });
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: scopeNames });
const token = await app.seed.ownerToken();

test.for<[path: string, body: object, fields: [path: string, message: string][]]>([
  ['/api/v1/posts', {}, [['title', 'is required']]],
  ['/api/v1/posts', { title: '' }, [['title', 'must not be empty']]],
  ['/api/v1/posts', { title: null }, [['title', 'must be text']]],
  ['/api/v1/posts', { title: 'a'.repeat(501) }, [['title', 'must have at most 500 characters']]],
  ['/api/v1/posts', { title: 'a', tags: ['b', 1] }, [['tags.1', 'must be text']]],
  ['/api/v1/posts', { title: 'a', tags: 'b' }, [['tags', 'must be a list']]],
  ['/api/v1/posts', { title: 'a', tags: Array(101).fill('b') }, [['tags', 'must have at most 100 items']]],
  ['/api/v1/posts', { title: 'a', is_draft: 'no' }, [['is_draft', 'must be true or false']]],
  [
    '/api/v1/posts',
    { title: 'a', visibility: 'hidden' },
    [['visibility', '"hidden" is not one of public, unlisted, private']],
  ],
  [
    '/api/v1/posts',
    { title: 'a', visibility: 1 },
    [['visibility', 'must be one of public, unlisted, private']],
  ],
  [
    '/api/v1/posts',
    { title: 'a', published_at: 'soon' },
    [['published_at', 'must be an RFC 3339 date-time']],
  ],
  ['/api/v1/posts', { title: 'a', published_at: 1 }, [['published_at', 'must be a date-time or text']]],
  [
    '/api/v1/posts',
    { title: 'a', colour: 'red', size: 1 },
    [
      ['colour', 'is not a known field'],
      ['size', 'is not a known field'],
    ],
  ],
  ['/api/v1/projects', { title: 'a', url: 'nowhere' }, [['url', 'must be an absolute http or https URL']]],
  ['/api/v1/courses', { title: 'a', price: -1 }, [['price', 'must be at least 0']]],
  ['/api/v1/courses', { title: 'a', price: 1.005 }, [['price', 'must have at most two decimals']]],
  ['/api/v1/talks', { title: 'a', sort_order: 0.5 }, [['sort_order', 'must be a whole number']]],
  [
    '/api/v2/webhooks',
    { url: 'https://hooks.example.com', events: [] },
    [['events', 'must have at least one item']],
  ],
])('POST %s of %j reports the problem of each field', async ([path, body, fields]) => {
  const { status, body: answer } = await app.post(path, { key, body });
  const told = fields.map(([field, message]) => ({ path: field, message }));
  const message = fields.map((field) => field.join(': ')).join('; ');
  expect({ status, body: answer }).toEqual({
    status: 400,
    body: { error: { code: 'validation_failed', message, fields: told } },
  });
});

test('over RPC the fields are in the data of the error', async () => {
  const client = ownerClient(app.baseUrl, key);
  const refused = client.v1.posts.create.mutate({ title: '' }).catch((error: unknown) => error);
  expect(await refused).toMatchObject({
    message: 'title: must not be empty',
    data: { code: 'validation_failed', fields: [{ path: 'title', message: 'must not be empty' }] },
  });
});

test('a field that is refused by a later check than its contract is reported alike', async () => {
  await app.post('/api/v1/posts', { key, body: { title: 'Taken', slug: 'taken' } });
  const again = await app.post('/api/v1/posts', { key, body: { title: 'Taken', slug: 'taken' } });
  expect(again.body).toMatchObject({ error: { fields: [{ path: 'slug', message: 'already in use' }] } });
});

test('an unknown name in `fields` is reported with the choices', async () => {
  const { body } = await app.get('/api/v1/posts?fields=id,titel', { key });
  expect(body).toEqual({
    error: {
      code: 'invalid_request',
      message: expect.stringMatching(/^fields: "titel" is not one of id, title, slug, .*\btags\b/),
    },
  });
});

test('an unknown scope is reported with a list of complete scopes', async () => {
  const { body } = await app.post('/api/admin/api-keys', {
    key: token,
    body: { name: 'A', scopes: ['read', 'reed'] },
  });
  const [field] = (body as { error: { fields: { path: string; message: string }[] } }).error.fields;
  expect(field?.path).toBe('scopes.1');
  const [, listed = '', more = ''] =
    /^"reed" is not one of (.+?)(?: and \d+ more)?$/.exec(field?.message ?? '') ?? [];
  expect(more).toBe('');
  for (const scope of listed.split(', ')) expect(scopeNames).toContain(scope);
});

test('no generated body to any endpoint gets a message in the words of a library', async () => {
  const foreign = /Invalid|Too (big|small)|Unrecognized|expected|received|undefined|Zod/;
  const bodies = (await readOperations()).filter(({ body }) => body);
  for (const { method, path, body } of bodies) {
    await fc.assert(
      fc.asyncProperty(nearlyValuesOf(body ?? {}), async (sent) => {
        const where = path.replace(/{\w+}/g, 'a'.repeat(15));
        const answer = await app.call(method, where, {
          key: path.startsWith('/api/admin') ? token : key,
          body: JSON.stringify(sent),
        });
        const { error } = answer.body as { error?: { code: string; fields?: { message: string }[] } };
        if (error?.code !== 'validation_failed') return;
        for (const { message } of error.fields ?? [])
          expect(message.replace(/"[^"]*"/g, '')).not.toMatch(foreign);
      }),
      { numRuns: 20 },
    );
  }
});
