import { expect, test } from 'vitest';
import { publishScheduled } from '../../worker/jobs/publish.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

test('a collection whose due drafts cannot be published does not block others, and is retried', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { em } = app.deps.database;
  const { id: post } = await studio.posts.create.mutate({ title: 'Refused', is_draft: true });
  const { id: project } = await studio.projects.create.mutate({ title: 'Due', is_draft: true });
  for (const table of ['posts', 'projects'])
    await em.execute(`update ${table} set publish_at = now() - interval '1 second'`);
  await em.execute('alter table posts add constraint refused check (is_draft)');

  await expect(publishScheduled(app.deps)).rejects.toThrow('could not be published');
  expect(await studio.projects.get.query({ id: project })).toMatchObject({ is_draft: false });
  expect(await studio.posts.get.query({ id: post })).toMatchObject({ is_draft: true });

  await em.execute('alter table posts drop constraint refused');
  await publishScheduled(app.deps);
  expect(await studio.posts.get.query({ id: post })).toMatchObject({ is_draft: false });
});
