import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

test('an owner finds records while the last word is being typed, readers find whole words', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  for (const title of ['Boats in winter', 'A type-safe harbour', 'Letters of a harbour master']) {
    await studio.posts.create.mutate({ title });
  }
  const found = async (q: string) => {
    const { items } = await studio.posts.list.query({ q, sort: 'title' });
    return items.map(({ title }) => title);
  };

  expect(await found('bo')).toEqual(['Boats in winter']);
  expect(await found('harb')).toEqual(['A type-safe harbour', 'Letters of a harbour master']);
  expect(await found('harbour ma')).toEqual(['Letters of a harbour master']);
  expect(await found('ma harbour')).toEqual([]);
  expect(await found('HARB')).toHaveLength(2);
  expect(await found('"harbour ma"')).toEqual([]);
  expect(await found('harbour -ma')).toHaveLength(2);
  expect(await found('boats or type')).toHaveLength(2);
  expect(await found('b')).toEqual([]);
  expect(await found("bo'at:*&!(")).toEqual([]);

  const key = await app.seed.key();
  expect(await app.get('/api/v1/posts?q=bo', { key })).toMatchObject({ status: 200, body: { data: [] } });
  expect(await app.get('/api/v1/posts?q=boats', { key })).toMatchObject({ body: { total: 1 } });
});

test('an owner lists what is scheduled, together with other filters', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const draft = async (title: string, status: string, publish_at: string | null) => {
    const { id } = await studio.projects.create.mutate({ title, status, is_draft: true });
    if (publish_at) await studio.projects.schedule.mutate({ id, publish_at });
  };
  await draft('Unscheduled', 'active', null);
  await draft('Spring', 'active', '2099-03-01T08:00:00Z');
  await draft('Autumn', 'planned', '2099-09-01T08:00:00Z');
  const titles = async (input: Parameters<typeof studio.projects.list.query>[0]) =>
    (await studio.projects.list.query({ sort: 'title', ...input })).items.map(({ title }) => title);

  expect(await titles({ publish_at_from: new Date(0) })).toEqual(['Autumn', 'Spring']);
  expect(await titles({ publish_at_from: new Date(0), status: ['active'] })).toEqual(['Spring']);
  expect(await titles({ publish_at_before: '2099-06-01T00:00:00Z' })).toEqual(['Spring']);
  expect(await titles({ status: 'draft' })).toEqual(['Autumn', 'Spring', 'Unscheduled']);
});
