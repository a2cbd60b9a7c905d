import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsIn, recordsOf, restResources } from '../support/content.ts';
import { endpoints } from '../support/endpoints.ts';
import { ownerClient } from '../support/rpc.ts';

// Search, field selection and long filter values in the lists of every resource.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const scopes = ['read', 'write', 'read:content'] as const;

test.for(restResources)(
  '$collection: q searches exactly the listed fields, in public records only',
  async (resource) => {
    const { collection, fields, min } = resource;
    const siteId = await app.seed.site();
    const key = await app.seed.key({ siteId });
    const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
    const records = recordsOf(app, collection, key);
    const found: string[] = [];
    for (const [name, { kind }] of Object.entries(fields)) {
      const word = `zz${name.replaceAll('_', '')}`;
      if (kind === 'list') await records.add({ ...min, [name]: ['other', `a ${word}`] });
      else if (kind === 'url') await records.add({ ...min, [name]: `https://example.com/${word}` });
      else if (kind === 'slug') await records.add({ ...min, [name]: word });
      else if (['text', 'paragraph', 'markdown'].includes(kind) && name !== 'access_tier')
        await records.add({ ...min, [name]: `A ${word}.` });
      else continue;
      if ((await records.list(`q=${word}`)).length > 0) found.push(name);
    }
    const words = Object.keys(fields).filter((name) => searched[collection]?.includes(name));
    expect(found).toEqual(words);
    const [title] = Object.keys(min);
    const hidden = { ...min, [String(title)]: 'A zzhidden one', visibility: 'private' };
    await records.add(hidden);
    expect(await records.list('q=zzhidden')).toEqual([]);
    // The type of one resource is used for all, because they have the same procedures.
    const own = studio[collection as 'posts'];
    expect(await own.list.query({ q: 'zzhidden' })).toMatchObject({ total: 1 });
  },
);

/** Fields that `q` searches, by collection. */
const searched: Record<string, string[]> = {
  posts: ['title', 'content', 'excerpt'],
  projects: ['title', 'description', 'tech_stack', 'tags'],
  courses: ['title', 'description', 'instructor_name', 'instructor_bio', 'tags', 'learning_outcomes'],
  talks: ['title', 'event', 'location', 'description'],
  experience: ['company', 'title', 'location', 'description', 'bullets', 'skills'],
  education: ['institution', 'degree', 'field', 'description'],
  skills: ['name', 'category', 'proficiency'],
  certifications: ['name', 'issuer', 'credential_id'],
};

test.for(restResources)('$collection: every list returns exactly the requested fields', async (resource) => {
  const { collection, full, fields } = resource;
  const siteId = await app.seed.site();
  const key = await app.seed.key({ siteId, scopes: [...scopes] });
  const token = await app.seed.ownerToken(siteId);
  await recordsOf(app, collection, key).add({ ...full, ...('is_draft' in fields && { is_draft: false }) });
  const lists = [`/api/v1/${collection}`, ...(hasV2(collection) ? [`/api/v2/${collection}`] : [])];
  for (const list of lists) {
    const [whole = {}] = recordsIn(await app.get(list, { key }));
    for (const name of Object.keys(whole)) {
      const answer = await app.get(`${list}?fields=${name},id`, { key });
      expect([list, name, recordsIn(answer)]).toEqual([list, name, [{ id: whole.id, [name]: whole[name] }]]);
    }
    expect(await app.get(`${list}?fields=is_draft`, { key })).toMatchObject({ status: 400 });
  }
  const input = encodeURIComponent(JSON.stringify({ json: { fields: ['visibility'] } }));
  expect(recordsIn(await app.get(`/trpc/studio.${collection}.list?input=${input}`, { key: token }))).toEqual([
    { visibility: 'public' },
  ]);
});

test.for(restResources)(
  '$collection: the longest accepted values can be stored and filtered by',
  async (resource) => {
    const { collection, fields, min } = resource;
    const key = await app.seed.key({ siteId: await app.seed.site() });
    // Characters of three bytes in UTF-8, in an order that cannot be compressed.
    const random = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join('');
    const longestRecord = Object.entries(fields).flatMap(([name, { kind, input }]) => {
      const bound = [500, 200, 100, 50].find((length) => input.safeParse('a'.repeat(length)).success);
      return kind === 'text' && bound ? [[name, random(bound)] as const] : [];
    });
    expect(longestRecord.length).toBeGreaterThan(0);
    const records = recordsOf(app, collection, key);
    const id = await records.add({ ...min, ...Object.fromEntries(longestRecord) });
    for (const [name, value] of longestRecord.filter(([name]) => name !== 'title')) {
      expect((await records.list(`${name}=${encodeURIComponent(value)}`)).map((record) => record.id)).toEqual(
        [id],
      );
    }
  },
);

const hasV2 = (collection: string) => endpoints.some(({ title }) => title === `GET /api/v2/${collection}`);
