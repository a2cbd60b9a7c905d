import { type Dispatcher, request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { accessTo } from '../../shared/media/protected-files.ts';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.site({ custom_domain: 'ours.example.com' });
const theirs = await app.seed.site({ custom_domain: 'theirs.example.com' });
const key = await app.seed.key({ siteId, scopes: ['write:media'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));

/** Content that no other file has. */
const pdf = (canary: string) => Buffer.from(`%PDF-1.7\n${canary}\n%%EOF`);

async function upload(content: Buffer, name = 'a file') {
  const { body } = await app.post('/api/v2/media', { key, ...formOf(content, { name }) });
  return body as { id: string; url: string };
}

async function uploadProtected(content: Buffer) {
  const file = await upload(content);
  await studio.media.update.mutate({ id: file.id, protected: true });
  return { ...file, access: accessTo(app.deps.secrets, { site_id: siteId, id: file.id }, app.clock.now()) };
}

async function at(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await request(app.baseUrl + path, {
    method: method as Dispatcher.HttpMethod,
    headers: { host: 'ours.example.com', ...headers },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

test('a signed address opens a protected file for 12 hours: whole, by ranges and for HEAD', async () => {
  const content = pdf('CANARY-1');
  const { url, access } = await uploadProtected(content);
  const address = `${url}?${access}`;
  const whole = await at(address);
  expect(whole).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'private, no-store', 'accept-ranges': 'bytes' },
    bytes: content,
  });
  expect(await at(address, { range: 'bytes=9-14' })).toMatchObject({
    status: 206,
    headers: { 'cache-control': 'private, no-store' },
    bytes: Buffer.from('CANARY'),
  });
  expect(await at(address, {}, 'HEAD')).toMatchObject({
    status: 200,
    headers: { 'content-length': String(content.length) },
    bytes: Buffer.alloc(0),
  });
  expect(await at(address, { 'if-none-match': String(whole.headers.etag) })).toMatchObject({ status: 304 });
  app.clock.advance({ hours: 11, minutes: 59 });
  expect(await at(address)).toMatchObject({ status: 200 });
  app.clock.advance({ minutes: 1 });
  expect(await at(address)).toMatchObject({ status: 404 });
});

test('a protected file is not found without its own valid signature', async () => {
  const { id, url, access } = await uploadProtected(pdf('CANARY-2'));
  const other = await uploadProtected(pdf('CANARY-3'));
  const etag = String((await at(`${url}?${access}`)).headers.etag);
  const [, until = '', sig = ''] = /^until=(\d+)&sig=(.+)$/.exec(access) ?? [];
  const ofSite = (site_id: string) => accessTo(app.deps.secrets, { site_id, id }, app.clock.now());
  const queries = [
    '',
    '?',
    '?until=&sig=',
    `?until=${until}`,
    `?sig=${sig}`,
    `?until=${until}&sig=`,
    `?until=${Number(until) + 1}&sig=${sig}`,
    `?until=0${until}&sig=${sig}`,
    `?until=+${until}&sig=${sig}`,
    `?until=${until}.0&sig=${sig}`,
    `?until=${until}&sig=${sig.slice(0, -1)}`,
    `?until=${until}&sig=${sig}A`,
    `?until=${until}&sig=${sig.slice(0, -1)}${sig.endsWith('A') ? 'B' : 'A'}`,
    `?until=${until}&until=${until}&sig=${sig}`,
    `?until=${until}&sig=${sig}&sig=${sig}`,
    `?until[]=${until}&sig=${sig}`,
    `?until=9999999999&sig=${sig}`,
    `?${other.access}`,
    `?${ofSite(theirs)}`,
    `?until=${until}&sig=${app.deps.secrets.fingerprint(`${siteId}/${id}/${until}`)}`,
  ];
  const headers = [{}, { range: 'bytes=0-3' }, { 'if-none-match': etag }, { 'if-none-match': '*' }];
  for (const query of queries)
    for (const method of ['GET', 'HEAD'])
      for (const sent of headers) {
        const { status, bytes, headers: answered } = await at(url + query, sent, method);
        expect([query, method, status]).toEqual([query, method, 404]);
        expect(bytes.includes('CANARY')).toBe(false);
        expect(answered).not.toHaveProperty('etag');
        expect(answered['cache-control'] ?? 'no-store').toBe('no-store');
      }
  const elsewhere = { host: 'theirs.example.com' };
  expect(await at(`${url}?${access}`, elsewhere)).toMatchObject({ status: 404 });
  expect(await at(`${url}?${ofSite(theirs)}`, elsewhere)).toMatchObject({ status: 404 });
});

test('the signature of a protected image opens its renditions, which are not found without it', async () => {
  const { id, url, access } = await uploadProtected(await pictureElement('png', { width: 900, height: 10 }));
  while ((await makeRenditions(app.deps, new AbortController().signal)) === 0);
  const { widths } = await studio.media.get.query({ id });
  expect(widths.length).toBeGreaterThan(0);
  for (const width of widths) {
    const address = `/media/${id}/${width}/${url.split('/')[3]?.replace('.png', '.webp')}`;
    expect(await at(address)).toMatchObject({ status: 404 });
    expect(await at(`${address}?${access}`)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'private, no-store', 'content-type': 'image/webp' },
    });
  }
});

test('a file can become protected or public only while no record, draft or setting names it', async () => {
  const { id, url } = await upload(await pictureElement('png', { width: 71 }));
  const address = `https://ours.example.com${url}`;
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Course', is_draft: true });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Module' });
  const lesson = await studio.lessons.create.mutate({ module_id, title: 'Lesson' });
  const post = await studio.posts.create.mutate({ title: 'Draft', is_draft: true });
  const terms = (terms_url: string) => studio.site.update.mutate({ selling: { terms_url, note: '' } });
  const uses: Record<string, [use: () => Promise<unknown>, free: () => Promise<unknown>]> = {
    'video of a lesson': [
      () => studio.lessons.update.mutate({ id: lesson.id, video_url: address }),
      () => studio.lessons.update.mutate({ id: lesson.id, video_url: null }),
    ],
    'body of a lesson': [
      () => studio.lessons.update.mutate({ id: lesson.id, content: `[file](${url})` }),
      () => studio.lessons.update.mutate({ id: lesson.id, content: null }),
    ],
    'draft of a post': [
      () => studio.posts.update.mutate({ id: post.id, cover: id }),
      () => studio.posts.update.mutate({ id: post.id, cover: null }),
    ],
    'terms of sale': [() => terms(address), () => terms('')],
  };
  const inUse = {
    code: 'media_in_use',
    message:
      'this file is in use, so `protected` cannot change: remove the file from records and settings first',
  };
  const isProtected = async () => (await studio.media.get.query({ id })).protected;
  for (const wanted of [true, false])
    for (const [name, [use, free]] of Object.entries(uses)) {
      await use();
      const change = { id, protected: wanted, caption: name };
      expect([name, await refusal(studio.media.update.mutate(change))]).toEqual([name, inUse]);
      // The value that the file has already changes nothing.
      await studio.media.update.mutate({ id, protected: !wanted, caption: name });
      expect(await isProtected()).toBe(!wanted);
      await free();
      await studio.media.update.mutate({ id, protected: wanted });
      expect(await isProtected()).toBe(wanted);
      await studio.media.update.mutate({ id, protected: !wanted });
      if (name === Object.keys(uses).at(-1)) await studio.media.update.mutate({ id, protected: wanted });
    }
});

test('only people who work on the site protect files, and authors only their own', async () => {
  const { id } = await upload(pdf('CANARY-4'));
  expect(await app.patch(`/api/v2/media/${id}`, { key, body: { protected: true } })).toMatchObject(
    failure(400, 'validation_failed', expect.stringContaining('protected')),
  );
  const author = await app.seed.person('author', siteId);
  const own = ownerClient(app.baseUrl, author.token);
  expect(await refusal(own.studio.media.update.mutate({ id, protected: true }))).toMatchObject({
    code: 'insufficient_role',
  });
  expect(await studio.media.get.query({ id })).toMatchObject({ protected: false, access: '' });
});

test('answers to programs show that a file is protected, without the query that opens it', async () => {
  const { id, url } = await uploadProtected(pdf('CANARY-5'));
  const shown = await app.get(`/api/v2/media/${id}`, { key });
  expect(shown).toMatchObject({ status: 200, body: { protected: true, url } });
  expect(JSON.stringify([shown, await app.get('/api/v2/media', { key })])).not.toMatch(/until=|sig=/);
  const { access } = await studio.media.get.query({ id });
  expect(await at(`${url}?${access}`)).toMatchObject({ status: 200 });
});

test('a protected file stays protected in the archive of its owner and on the site that imports it', async () => {
  const { id, url } = await uploadProtected(pdf('CANARY-6'));
  const target = await app.seed.site({ custom_domain: 'copy.example.com' });
  await importBytes(app, await archiveOf(app, siteId), { siteId: target });
  const moved = { site_id: target, id };
  const host = { host: 'copy.example.com' };
  expect(await at(url, host)).toMatchObject({ status: 404 });
  expect(await at(`${url}?${accessTo(app.deps.secrets, moved, app.clock.now())}`, host)).toMatchObject({
    status: 200,
    bytes: pdf('CANARY-6'),
  });
});
