import { expect, test } from 'vitest';
import { createClient, etagOf, isApiError } from '../../client/sdk/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

const clientOf = async (app: TestApp) =>
  createClient({
    baseUrl: app.baseUrl,
    apiKey: await app.seed.key({ scopes: ['read', 'write', 'read:content'] }),
  });

const ownerOf = async (app: TestApp) =>
  createClient({ baseUrl: app.baseUrl, ownerToken: await app.seed.ownerToken() });

/** The error code that a call fails with. Throws other errors. */
async function refusalOf(call: Promise<unknown>) {
  const error = await call.catch((cause: unknown) => cause);
  if (!isApiError(error)) throw error;
  return error.data.code;
}

test('if two clients read a post and change it, the second gets precondition_failed and changes nothing', async () => {
  await using app = await startApp();
  const { posts } = (await clientOf(app)).v1;
  const { id } = await posts.create.mutate({ title: 'Draft of two', slug: 'two' });
  const read = () => posts.get.query({ slug: 'two' }, { etag: true });
  const [ada, ben] = [await read(), await read()];
  await posts.update.mutate({ id, excerpt: 'As Ada would have it' }, { ifMatch: etagOf(ada) });
  const second = posts.update.mutate({ id, excerpt: 'As Ben would have it' }, { ifMatch: etagOf(ben) });
  expect(await refusalOf(second)).toBe('precondition_failed');
  expect(await refusalOf(posts.delete.mutate({ id }, { ifMatch: etagOf(ben) }))).toBe('precondition_failed');
  expect(await read()).toMatchObject({ excerpt: 'As Ada would have it' });
});

test('a call that creates or changes a record returns its new tag', async () => {
  await using app = await startApp();
  const { posts } = (await clientOf(app)).v1;
  const created = await posts.create.mutate({ title: 'One' });
  const { id } = created;
  const updated = await posts.update.mutate({ id, title: 'Two' }, { ifMatch: etagOf(created) });
  await posts.update.mutate({ id, title: 'Three' }, { ifMatch: etagOf(updated) });
  expect(await refusalOf(posts.delete.mutate({ id }, { ifMatch: etagOf(updated) }))).toBe(
    'precondition_failed',
  );
});

test('reads of v2 with the `etag` option return entity tags, and reads of the studio return them without it', async () => {
  await using app = await startApp();
  const client = await clientOf(app);
  const { id } = await client.v1.talks.create.mutate({ title: 'One' });
  const talk = await client.v2.talks.get.query({ id }, { etag: true });
  await client.v1.talks.update.mutate({ id, title: 'Two' }, { ifMatch: etagOf(talk) });
  const { talks } = (await ownerOf(app)).studio;
  const own = await talks.get.query({ id });
  await talks.update.mutate({ id, title: 'Three' }, { ifMatch: etagOf(own) });
  expect(await refusalOf(talks.update.mutate({ id, title: 'Four' }, { ifMatch: etagOf(own) }))).toBe(
    'precondition_failed',
  );
});

test('etagOf throws for a record that was read without `etag`, and for a copy', async () => {
  await using app = await startApp();
  const { posts } = (await clientOf(app)).v1;
  await posts.create.mutate({ title: 'One' });
  const [plain, tagged] = [
    await posts.get.query({ slug: 'one' }),
    await posts.get.query({ slug: 'one' }, { etag: true }),
  ];
  expect(tagged).toEqual(plain);
  expect(etagOf(tagged)).toMatch(/^"1-/);
  expect(() => etagOf(plain)).toThrow(TypeError);
  expect(() => etagOf({ ...tagged })).toThrow(TypeError);
});

test('a read with `etag` is sent in its own request, and other reads are batched', async () => {
  await using app = await startApp();
  const requests: string[] = [];
  const client = createClient({
    baseUrl: app.baseUrl,
    apiKey: await app.seed.key(),
    fetch(target, init) {
      requests.push(new URL(String(target)).pathname);
      return fetch(target, init);
    },
  });
  await Promise.all([
    client.v1.skills.list.query(),
    client.v1.profile.get.query(undefined, { etag: true }),
    client.v1.talks.list.query(),
  ]);
  expect(requests.toSorted()).toEqual(['/trpc/v1.profile.get', '/trpc/v1.skills.list,v1.talks.list']);
});
