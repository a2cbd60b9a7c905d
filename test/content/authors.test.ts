import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '../support/app.ts';
import { formOf, smallestImage } from '../support/images.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Authors write drafts that they created, and change nothing else (docs/reference/roles.md).

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const signedIn = async (role: 'owner' | 'editor' | 'author') => {
  const { id, token } = await app.seed.person(role);
  return { id, token, studio: ownerClient(app.baseUrl, token).studio };
};
const editor = await signedIn('editor');
const author = await signedIn('author');
const another = await signedIn('author');

const closed = { code: 'insufficient_role', message: expect.any(String) };
const refused = async (calls: readonly Promise<unknown>[]) =>
  expect(await Promise.all(calls.map(refusal))).toEqual(calls.map(() => closed));

test('a record that an author creates is a draft by default, and creating a published one is refused', async () => {
  const { id } = await author.studio.posts.create.mutate({ title: 'Mine' });
  expect(await author.studio.posts.get.query({ id })).toMatchObject({
    is_draft: true,
    created_by: author.id,
  });
  await refused(
    [false, null].map((is_draft) => author.studio.posts.create.mutate({ title: 'Out', is_draft })),
  );
  await refused([author.studio.skills.create.mutate({ name: 'Always public' })]);
});

test('an author can change, delete and restore their own draft, but not publish or schedule it', async () => {
  const { id } = await author.studio.posts.create.mutate({ title: 'Mine' });
  await author.studio.posts.update.mutate({ id, title: 'Mine, still' });
  await author.studio.posts.restore.mutate({ id, revision: 1 });
  await author.studio.posts.delete.mutate({ id });
  await author.studio.trash.restore.mutate({ collection: 'posts', id });
  await refused([
    author.studio.posts.update.mutate({ id, is_draft: false }),
    author.studio.posts.update.mutate({ id, is_draft: null }),
    author.studio.posts.schedule.mutate({ id, publish_at: '2026-12-01T00:00:00Z' }),
    author.studio.posts.schedule.mutate({ id, publish_at: null }),
  ]);
  expect(await author.studio.posts.get.query({ id })).toMatchObject({ title: 'Mine', is_draft: true });
});

test('an author can publish the lessons of their own draft and open one to everyone, until an editor published the course', async () => {
  const { courses, modules, lessons } = author.studio;
  const { id } = await courses.create.mutate({ title: 'Mine' });
  const { id: module_id } = await modules.create.mutate({ course_id: id, title: 'Module' });
  const { id: lesson } = await lessons.create.mutate({ module_id, title: 'Lesson' });
  await courses.update.mutate({ id, lessons_published: true });
  await lessons.update.mutate({ id: lesson, is_preview: true });
  await refused([
    another.studio.courses.update.mutate({ id, lessons_published: false }),
    another.studio.lessons.update.mutate({ id: lesson, is_preview: false }),
  ]);
  await editor.studio.courses.update.mutate({ id, is_draft: false });
  await refused([
    courses.update.mutate({ id, lessons_published: false }),
    lessons.update.mutate({ id: lesson, is_preview: false }),
  ]);
  expect(await editor.studio.courses.get.query({ id })).toMatchObject({ lessons_published: true });
  expect(await editor.studio.lessons.get.query({ id: lesson })).toMatchObject({ is_preview: true });
});

test('an author cannot change, delete, restore or unpublish a record after an editor published it', async () => {
  const { id } = await author.studio.posts.create.mutate({ title: 'Mine' });
  await editor.studio.posts.update.mutate({ id, is_draft: false });
  await refused([
    author.studio.posts.update.mutate({ id, title: 'Changed' }),
    author.studio.posts.update.mutate({ id, is_draft: true }),
    author.studio.posts.restore.mutate({ id, revision: 1 }),
    author.studio.posts.delete.mutate({ id }),
  ]);
  await editor.studio.posts.delete.mutate({ id });
  await refused([author.studio.trash.restore.mutate({ collection: 'posts', id })]);
});

test('an author cannot change or delete a scheduled draft until its schedule is removed', async () => {
  const { id } = await author.studio.posts.create.mutate({ title: 'Mine' });
  await editor.studio.posts.schedule.mutate({ id, publish_at: '2099-12-01T00:00:00Z' });
  await refused([
    author.studio.posts.update.mutate({ id, title: 'Changed' }),
    author.studio.posts.restore.mutate({ id, revision: 1 }),
    author.studio.posts.delete.mutate({ id }),
    author.studio.previews.create.mutate({ collection: 'posts', id, as: 'free' }),
  ]);
  await editor.studio.posts.schedule.mutate({ id, publish_at: null });
  await author.studio.posts.update.mutate({ id, title: 'Changed' });
});

test('an author cannot restore a revision that was public', async () => {
  const { id } = await author.studio.posts.create.mutate({ title: 'Mine' });
  await editor.studio.posts.update.mutate({ id, is_draft: false });
  await editor.studio.posts.update.mutate({ id, is_draft: true });
  await refused([author.studio.posts.restore.mutate({ id, revision: 2 })]);
});

test('an author can read drafts of others, but not change or share them', async () => {
  const { id } = await editor.studio.posts.create.mutate({ title: 'Theirs', is_draft: true });
  expect(await author.studio.posts.get.query({ id })).toMatchObject({
    title: 'Theirs',
    created_by: editor.id,
  });
  const preview = await editor.studio.previews.create.mutate({ collection: 'posts', id, as: 'free' });
  await refused([
    author.studio.posts.update.mutate({ id, title: 'Changed' }),
    author.studio.posts.delete.mutate({ id }),
    author.studio.posts.restore.mutate({ id, revision: 1 }),
    author.studio.previews.create.mutate({ collection: 'posts', id, as: 'free' }),
    author.studio.previews.revoke.mutate({ id: preview.id }),
  ]);
  const { id: own } = await author.studio.posts.create.mutate({ title: 'Mine' });
  const link = await author.studio.previews.create.mutate({ collection: 'posts', id: own, as: 'free' });
  await refused([another.studio.previews.revoke.mutate({ id: link.id })]);
  await author.studio.previews.revoke.mutate({ id: link.id });
});

test('a record that an API key created has no author, so no author can change it', async () => {
  const key = await app.seed.key();
  const { body } = await app.post('/api/v1/posts', { key, body: { title: 'By a program', is_draft: true } });
  const { id } = z.object({ id: z.string() }).parse(body);
  expect(await author.studio.posts.get.query({ id })).toMatchObject({ created_by: null });
  await refused([author.studio.posts.update.mutate({ id, title: 'Changed' })]);
});

test('an author can change and delete only files that they uploaded', async () => {
  const { body } = await app.post('/api/admin/media', { key: author.token, ...formOf(smallestImage) });
  const { id } = z.object({ id: z.string() }).parse(body);
  expect(await author.studio.media.get.query({ id })).toMatchObject({ created_by: author.id });
  await refused([
    another.studio.media.update.mutate({ id, alt: 'A dot' }),
    another.studio.media.delete.mutate({ id }),
  ]);
  await author.studio.media.update.mutate({ id, alt: 'A dot' });
  await author.studio.media.delete.mutate({ id });
});

test('v1 and v2 do not return who created a record', async () => {
  await editor.studio.posts.create.mutate({ title: 'Out' });
  await app.post('/api/admin/media', { key: author.token, ...formOf(smallestImage) });
  const key = await app.seed.key({ scopes: ['read', 'read:content', 'write:media'] });
  for (const path of ['/api/v1/posts', '/api/v2/posts', '/api/v2/media'])
    expect(JSON.stringify((await app.get(path, { key })).body)).not.toContain('created_by');
});

test('an author can edit and order the parts of their own draft course, and of no other course', async () => {
  const { studio } = author;
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Mine' });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'One' });
  const { id: second } = await studio.modules.create.mutate({ course_id, title: 'Two' });
  const { id: lesson } = await studio.lessons.create.mutate({ module_id, title: 'First' });
  await studio.lessons.update.mutate({ id: lesson, title: 'The first' });
  await studio.modules.reorder.mutate({ ids: [second, module_id] });
  await studio.lessons.delete.mutate({ id: lesson });
  await studio.trash.restore.mutate({ collection: 'lessons', id: lesson });
  const { id: theirs } = await editor.studio.courses.create.mutate({ title: 'Theirs', is_draft: true });
  const { id: part } = await editor.studio.modules.create.mutate({ course_id: theirs, title: 'One' });
  const writes = [
    () => another.studio.lessons.update.mutate({ id: lesson, title: 'Changed' }),
    () => studio.modules.create.mutate({ course_id: theirs, title: 'Smuggled in' }),
    () => studio.modules.update.mutate({ id: module_id, course_id: theirs }),
    () => studio.modules.reorder.mutate({ ids: [part] }),
    () => studio.lessons.create.mutate({ module_id: part, title: 'Smuggled in' }),
    () => studio.modules.delete.mutate({ id: part }),
  ];
  await refused(writes.map((write) => write()));

  await editor.studio.courses.update.mutate({ id: course_id, is_draft: false });
  await refused([
    studio.modules.create.mutate({ course_id, title: 'Three' }),
    studio.modules.reorder.mutate({ ids: [module_id, second] }),
    studio.lessons.update.mutate({ id: lesson, title: 'Changed' }),
    studio.lessons.restore.mutate({ id: lesson, revision: 1 }),
    studio.lessons.delete.mutate({ id: lesson }),
  ]);
  expect(await studio.lessons.get.query({ id: lesson })).toMatchObject({ title: 'The first' });
});
