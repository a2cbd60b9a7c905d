import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { readOperations } from '../support/operations.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const key = await app.seed.key({ scopes: ['read', 'write', 'read:content', 'read:members'] });

const takesFields = ({ parameters }: { parameters: { name: string }[] }) =>
  parameters.some(({ name }) => name === 'fields');
const lists = (await readOperations()).filter(takesFields).map(({ path }) => path);
const whole = await readOperations('whole');
const find = (method: string, path: string) =>
  whole.find((operation) => operation.method === method && operation.path === path);

test('the document for callers without `fields` has the same operations, and none with that parameter', async () => {
  const operations = await readOperations();
  expect(lists.length).toBeGreaterThan(10);
  expect(whole.map(({ id }) => id)).toEqual(operations.map(({ id }) => id));
  expect(whole.filter(takesFields)).toEqual([]);
  const served = async (query: string) => (await fetch(`${app.baseUrl}/openapi.json${query}`)).text();
  expect((await served('?lists=whole')).match(/Sparse\w+|x-required-without\w*/g)).toBeNull();
  expect(await served('?lists=other')).toBe(await served(''));
  expect(await served('')).toContain('"SparsePost"');
});

test.each(lists)(
  'the document for %s requires the fields of a record, and responses contain them',
  async (path) => {
    const written = path.replace('/v2/', '/v1/');
    const example = find('POST', written)?.example;
    if (example) await app.post(written, { key, body: { ...Object(example), is_draft: undefined } });
    else await addMember();
    const { headers, body } = await app.get(path, { key });
    const judge = (text: string) =>
      find('GET', path)?.faultsOf({ status: 200, headers: Object.fromEntries(headers), text });
    const text = JSON.stringify(body);
    expect(judge(text)).toEqual([]);
    expect(text).toContain('"id":');
    expect(judge(text.replace('"id":', '"di":'))).toContainEqual(
      expect.stringMatching(/^\/(data|items)\/0 must have required property 'id'$/),
    );
  },
);

const addMember = async () =>
  app.deps.database.em.execute(
    `insert into members (site_id, id, email, name, status, access_tiers, last_seen_at, created, updated)
     select ?, 'member000000001', 'grace@example.com', 'Grace', 'active', '{}', null, now(), now()`,
    [await app.seed.ownSite()],
  );
