import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement, secretNote } from '../support/images.ts';
import { anyId, anyTimestamp } from '../support/matchers.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { filesBelow } from '../support/stored-keys.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['write:media', 'write'] });
const token = await app.seed.ownerToken();
const { studio } = ownerClient(app.baseUrl, token);

const upload = (content: Buffer, form: Parameters<typeof formOf>[1] = {}, headers = {}) => {
  const { body, headers: own } = formOf(content, form);
  return app.post('/api/v2/media', { key, body, headers: { ...own, ...headers } });
};

/** Returns the body of an upload's response as a file. */
const fileOf = ({ body }: { body: unknown }) =>
  body as {
    id: string;
    url: string;
    name: string;
    type: string;
    width: number;
    height: number;
    size: number;
  };

const bytesAt = async (path: string) => Buffer.from(await (await fetch(app.baseUrl + path)).arrayBuffer());

const formats = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const;

test.for(formats)('a %s is stored and described', async (format) => {
  const content = await pictureElement(format, { width: 61, height: 41 });
  const answer = await upload(content, { name: `a ${format}` });
  const ending = format === 'jpeg' ? 'jpg' : format;
  const { id } = fileOf(answer);
  expect(answer).toEqual({
    status: 201,
    body: {
      id: anyId,
      url: `/media/${id}/a%20${format}.${ending}`,
      name: `a ${format}.${ending}`,
      alt: '',
      caption: '',
      focus: null,
      type: `image/${format}`,
      size: expect.any(Number),
      width: 61,
      height: 41,
      widths: [],
      protected: false,
      created: anyTimestamp,
    },
  });
});

test.for(formats)('camera metadata is removed from a %s without changing pixels', async (format) => {
  const content = await pictureElement(format, { width: 50, height: 30 });
  if (format !== 'gif') expect(content.includes(secretNote)).toBe(true);
  const { url, size } = fileOf(await upload(content));
  const served = await bytesAt(url);
  expect(served).toHaveLength(size);
  for (const note of [secretNote, 'GPSLatitude', 'http://ns.adobe.com'])
    expect(served.includes(note)).toBe(false);
  const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();
  expect(await pixels(served)).toEqual(await pixels(content));
});

test.for(['jpeg', 'png', 'webp'] as const)('a %s that is stored rotated stays rotated', async (format) => {
  const content = await pictureElement(format, { width: 64, height: 32, orientation: 6 });
  const file = fileOf(await upload(content));
  expect([file.width, file.height]).toEqual([32, 64]);
  const served = await bytesAt(file.url);
  expect(served.includes(secretNote)).toBe(false);
  expect(await sharp(served).metadata()).toMatchObject({ orientation: 6 });
});

test('the hash of a row is the hash of the stored bytes', async () => {
  const { id, url } = fileOf(await upload(await pictureElement('webp', { width: 92, height: 60 })));
  const [row] = await app.deps.database.em.execute<{ sha256: string }[]>(
    `select sha256 from media where id = '${id}'`,
  );
  expect(
    createHash('sha256')
      .update(await bytesAt(url))
      .digest('hex'),
  ).toBe(row?.sha256);
});

test('uploading the same bytes again returns the same file, with any name, also for the served bytes', async () => {
  const content = await pictureElement('jpeg', { width: 70, height: 50 });
  const first = await upload(content, { name: 'one.jpg' });
  expect(first.status).toBe(201);
  expect(await upload(content, { name: 'two.jpg' })).toEqual({ status: 200, body: first.body });
  expect(await upload(await bytesAt(fileOf(first).url))).toEqual({ status: 200, body: first.body });
});

test('concurrent uploads of the same bytes create one file, which all of them return', async () => {
  const content = await pictureElement('png', { width: 71, height: 50 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(content)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
  expect(new Set(answers.map((answer) => fileOf(answer).id)).size).toBe(1);
  expect((await keptFiles()).toSorted()).toEqual((await knownFiles()).toSorted());
});

test('an upload with an Idempotency-Key is stored once, and the key is valid only for those bytes', async () => {
  const content = await pictureElement('png', { width: 72, height: 50 });
  const headers = { 'idempotency-key': 'one upload' };
  const first = await upload(content, {}, headers);
  expect(first.status).toBe(201);
  expect(await upload(content, {}, headers)).toEqual(first);
  expect(await upload(await pictureElement('png', { width: 73, height: 50 }), {}, headers)).toEqual(
    failure(422, 'idempotency_key_reused'),
  );
});

test('an owner uploads with a session, and lists, finds and deletes the file', async () => {
  app.clock.advance({ seconds: 1 });
  const content = await pictureElement('jpeg', { width: 90, height: 60 });
  const answer = await app.post('/api/admin/media', { key: token, ...formOf(content, { name: 'mine.jpg' }) });
  expect(answer.status).toBe(201);
  const { id, url } = fileOf(answer);
  const [newest] = (await studio.media.list.query({ per_page: 1 })).items;
  expect(newest).toMatchObject({ id, url, name: 'mine.jpg', created: expect.any(Date) });
  const body = { title: 'With a picture', content: `![a](${url})`, is_draft: true };
  const post = (await app.post('/api/v1/posts', { key, body })).body as { id: string };
  expect(await studio.media.uses.query({ id })).toEqual({
    data: [{ collection: 'posts', id: post.id, title: 'With a picture' }],
  });
  expect(await studio.media.delete.mutate({ id })).toEqual({ status: 'deleted' });
  expect((await fetch(app.baseUrl + url)).status).toBe(404);
  expect((await keptFiles()).filter((path) => path.includes(id))).toEqual([]);
  expect(await refusal(studio.media.uses.query({ id }))).toMatchObject({ code: 'not_found' });
});

test('the uses of an image include the theme of the site, until it is removed there', async () => {
  const { id, url } = fileOf(await upload(await pictureElement('png', { width: 94, height: 60 })));
  for (const name of ['logo', 'icon']) {
    await studio.site.update.mutate({ theme: { [name]: app.baseUrl + url } });
    expect(await studio.media.uses.query({ id })).toEqual({
      data: [{ collection: 'settings', id: expect.any(String), title: 'A site' }],
    });
    await studio.site.update.mutate({ theme: { [name]: null } });
    expect(await studio.media.uses.query({ id })).toEqual({ data: [] });
  }
});

test('a program lists files and deletes one', async () => {
  app.clock.advance({ seconds: 1 });
  const { id } = fileOf(await upload(await pictureElement('gif', { width: 91, height: 60 })));
  const list = await app.get('/api/v2/media?per_page=1', { key });
  expect(list).toMatchObject({ status: 200, body: { items: [{ id }], page: 1, per_page: 1 } });
  expect(await app.delete(`/api/v2/media/${id}`, { key })).toEqual({
    status: 200,
    body: { status: 'deleted' },
  });
  expect(await app.delete(`/api/v2/media/${id}`, { key })).toEqual(failure(404, 'not_found'));
});

test('a program reads a file that it uploaded, and sets its texts', async () => {
  const { id, url } = fileOf(await upload(await pictureElement('png', { width: 96, height: 60 })));
  const path = `/api/v2/media/${id}`;
  const said = { alt: 'A goose', caption: 'Photo: Ada', focus: { x: 10, y: 90 } };
  const before = await app.get(path, { key });
  expect(before).toMatchObject({ status: 200, body: { id, url, alt: '', caption: '', focus: null } });
  expect(before.body).not.toHaveProperty('created_by');
  const headers = { 'if-match': before.headers.get('etag') ?? '' };
  expect(await app.patch(path, { key, body: said, headers })).toMatchObject({
    status: 200,
    body: { status: 'updated' },
  });
  expect((await app.get(path, { key })).body).toMatchObject({ id, ...said });
  expect(await app.patch(path, { key, body: { alt: 'A duck' }, headers })).toMatchObject({
    status: 412,
    body: { error: { code: 'precondition_failed' } },
  });
  const other = await app.seed.key({ siteId: await app.seed.site(), scopes: ['write:media'] });
  expect(await app.get(path, { key: other })).toMatchObject({ status: 404 });
  expect(await app.patch(path, { key: other, body: said })).toMatchObject({ status: 404 });
});

test('the largest file of a plan is accepted, and one byte more is refused', async () => {
  const other = await app.seed.site({ plan: 'creator' });
  const creator = await app.seed.key({ siteId: other, scopes: ['write:media'] });
  const pdf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 'a')]);
  const send = (bytes: number) => app.post('/api/v2/media', { key: creator, ...formOf(pdf(bytes)) });
  expect((await send(10_000_000)).status).toBe(201);
  expect(await send(10_000_001)).toEqual(
    failure(413, 'payload_too_large', "the file is too large: the site's plan allows files of up to 10 MB"),
  );
  expect((await app.post('/api/v2/media', { key, ...formOf(pdf(10_000_001)) })).status).toBe(201);
});

test('a site whose storage is full accepts no more files', async () => {
  const full = await app.seed.site({ plan: 'creator' });
  const own = await app.seed.key({ siteId: full, scopes: ['write:media'] });
  const send = async (width: number) =>
    app.post('/api/v2/media', { key: own, ...formOf(await pictureElement('png', { width, height: 50 })) });
  const { id } = fileOf(await send(50));
  await app.deps.database.em.execute(`update media set size = 5000000000 where id = '${id}'`);
  expect(await send(51)).toEqual(failure(403, 'media_full'));
  expect((await keptFiles()).filter((path) => path.startsWith(`${full}/`))).toHaveLength(1);
});

const keptFiles = () => filesBelow(app.mediaDir);

async function knownFiles(): Promise<string[]> {
  const rows = await app.deps.database.em.execute<{ id: string }[]>(
    `select id from media where site_id = '${siteId}'`,
  );
  return rows.map(({ id }) => `${siteId}/${id}/original`);
}
