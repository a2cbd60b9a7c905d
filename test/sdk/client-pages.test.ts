import { expect, test } from 'vitest';
import { createClient, pages } from '../../client/sdk/index.ts';
import { startApp } from '../support/app.ts';
import { createPosts, failureOf, watchedClient } from '../support/watched-client.ts';

test('pages yields every record in order and requests one page at a time', async () => {
  await using app = await startApp();
  const { client, requests } = await watchedClient(app);
  await createPosts(client, ['E', 'A', 'D', 'B', 'C']);
  requests.length = 0;
  const titles: string[] = [];
  for await (const post of pages(client.v1.posts.list, { sort: 'title', limit: 2 })) {
    titles.push(post.title);
    expect(requests.length).toBe(Math.ceil(titles.length / 2));
  }
  expect(titles).toEqual(['A', 'B', 'C', 'D', 'E']);
  expect(requests.length).toBe(3);
});

test('a loop over pages that ends early requests no further page', async () => {
  await using app = await startApp();
  const { client, requests } = await watchedClient(app);
  await createPosts(client, ['A', 'B', 'C']);
  requests.length = 0;
  for await (const post of pages(client.v1.posts.list, { sort: 'title', limit: 2 })) {
    if (post.title === 'B') break;
  }
  expect(requests.length).toBe(1);
});

test('pages of an empty list yields nothing, and a failing list throws', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  expect(await Array.fromAsync(pages(client.v1.projects.list))).toEqual([]);
  const unknown = createClient({ baseUrl: app.baseUrl });
  expect(await failureOf(Array.fromAsync(pages(unknown.v1.projects.list)))).toMatchObject({
    code: 'unauthorized',
  });
});

test('pages reads the event log to its end', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  await createPosts(client, ['A', 'B', 'C']);
  const events = await Array.fromAsync(pages(client.v1.events.poll, { event: 'content.created', limit: 2 }));
  expect(events.map(({ data }) => data)).toEqual(
    ['C', 'B', 'A'].map((title) => expect.objectContaining({ title, collection: 'posts' })),
  );
});

test('pages reads lists with page numbers, starting at the requested page', async () => {
  await using app = await startApp();
  const { client: writer } = await watchedClient(app);
  for (const title of ['A', 'B', 'C', 'D']) {
    await createPosts(writer, [title]);
    app.clock.advance({ seconds: 1 });
  }
  const options = { baseUrl: app.baseUrl, apiKey: await app.seed.key({ scopes: ['read:content'] }) };
  const { client, requests } = await watchedClient(app, options);
  const titlesOf = async (list: AsyncIterable<{ title: string }>) =>
    (await Array.fromAsync(list)).map(({ title }) => title);
  expect(await titlesOf(pages(client.v2.posts.list, { per_page: 2 }))).toEqual(['D', 'C', 'B', 'A']);
  expect(requests.length).toBe(2);
  expect(await titlesOf(pages(client.v2.posts.list, { per_page: 2, page: 2, fields: ['title'] }))).toEqual([
    'B',
    'A',
  ]);
  expect(requests.length).toBe(3);
  expect(await titlesOf(pages(client.v2.posts.list, { page: 9 }))).toEqual([]);
  const owner = createClient({ baseUrl: app.baseUrl, ownerToken: await app.seed.ownerToken() });
  expect(await titlesOf(pages(owner.studio.posts.list, { per_page: 3 }))).toEqual(['D', 'C', 'B', 'A']);
});

test('pages reads an unpaged list in one request', async () => {
  await using app = await startApp();
  const { client, requests } = await watchedClient(app);
  for (const name of ['SQL', 'Go']) await client.v1.skills.create.mutate({ name });
  requests.length = 0;
  const skills = await Array.fromAsync(pages(client.v1.skills.list));
  expect(skills.map(({ name }) => name).toSorted()).toEqual(['Go', 'SQL']);
  expect(requests).toEqual(['GET /trpc/v1.skills.list']);
  expect(await Array.fromAsync(pages(client.v1.events.catalogue))).toEqual(
    (await client.v1.events.catalogue.query()).events,
  );
  const owner = createClient({ baseUrl: app.baseUrl, ownerToken: await app.seed.ownerToken() });
  expect(await Array.fromAsync(pages(owner.admin.apiKeys.list))).toHaveLength(1);
});

test('pages reads all deliveries of a subscription', async () => {
  await using app = await startApp();
  const owner = createClient({ baseUrl: app.baseUrl, ownerToken: await app.seed.ownerToken() });
  const { id } = await owner.admin.webhooks.create.mutate({
    url: 'https://hooks.example.com/',
    events: ['content.created'],
  });
  for (let n = 0; n < 3; n++) await owner.admin.webhooks.test.mutate({ id });
  const deliveries = await Array.fromAsync(pages(owner.admin.webhooks.deliveries, { id, per_page: 2 }));
  expect(deliveries.map(({ event }) => event)).toEqual(['test', 'test', 'test']);
});
