import { type Dispatcher, request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { formOf, pictureElement } from '../support/images.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const ours = await app.seed.site({ custom_domain: 'ours.example.com' });
const theirs = await app.seed.site({ custom_domain: 'theirs.example.com' });
const key = await app.seed.key({ siteId: ours, scopes: ['write:media'] });

const upload = async (content: Buffer, name = 'a file') =>
  (await app.post('/api/v2/media', { key, ...formOf(content, { name }) })).body as {
    id: string;
    url: string;
  };

const at = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawAnswer(`${app.baseUrl}${path}`, { method, headers: { ...headers, host } });

const pdf = Buffer.from('%PDF-1.7\n<script>alert(1)</script>\n%%EOF');

test('a file is served only on the domain of its site, and only at its address', async () => {
  const { id, url } = await upload(await pictureElement('png'));
  expect(await at('ours.example.com', url)).toMatchObject({ status: 200 });
  for (const [host, path] of [
    ['theirs.example.com', url],
    ['localhost', url],
    ['ours.example.com', `/media/${id}/page.html`],
    ['ours.example.com', `/media/${id}/`],
    ['ours.example.com', `/media/${id}`],
    ['ours.example.com', `/media/${id}/400/a%20file.webp`],
    ['ours.example.com', `/media/${id}/../${id}/original`],
    ['ours.example.com', '/media/..%2f..%2fsecret-key/a'],
    ['ours.example.com', '/media/mb3k9x2a7f0q1zd/a%20file.png'],
  ] as const)
    expect([host, path, (await at(host, path)).status]).toEqual([host, path, 404]);
});

test("on a host without a site, a file is served for the site that the studio's cookie names", async () => {
  const { url } = await upload(await pictureElement('png'));
  const statusOf = async (host: string, cookie: string) => (await at(host, url, { cookie })).status;
  expect(await statusOf('localhost', `browser=a; media_site=${ours}`)).toBe(200);
  expect(await statusOf('localhost', `media_site=${theirs}`)).toBe(404);
  expect(await statusOf('localhost', 'media_site=../secret-key')).toBe(404);
  expect(await statusOf('localhost', `not_media_site=${ours}`)).toBe(404);
  expect(await statusOf('theirs.example.com', `media_site=${ours}`)).toBe(404);
});

test('an image is served as immutable, with its detected type, in a sandbox', async () => {
  const content = await pictureElement('png', { width: 61 });
  const { url } = await upload(content, "it's (a) näme.html");
  expect(decodeURIComponent(url)).toMatch(/\/it's \(a\) näme\.png$/);
  const { status, headers, bytes } = await at('ours.example.com', url);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/^sandbox;/),
    etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
  });
  expect(headers).not.toHaveProperty('content-disposition');
  for (const method of ['GET', 'HEAD']) {
    const known = await at('ours.example.com', url, { 'if-none-match': String(headers.etag) }, method);
    expect(known).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
    expect(known.headers).not.toHaveProperty('content-length');
  }
  expect(await at('ours.example.com', url, {}, 'HEAD')).toMatchObject({
    status: 200,
    headers: { 'content-length': String(bytes.length) },
    bytes: Buffer.alloc(0),
  });
});

test('a document that is also valid HTML is served with its type, without scripts', async () => {
  const { url } = await upload(pdf);
  const { headers, bytes } = await at('ours.example.com', url, { accept: 'text/html' });
  expect(bytes).toEqual(pdf);
  expect(headers).toMatchObject({
    'content-type': 'application/pdf',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("script-src 'none'"),
  });
});

test('a range of a file is served on request', async () => {
  const { url } = await upload(Buffer.concat([pdf, Buffer.from('1')]));
  const whole = (await at('ours.example.com', url)).bytes;
  const part = async (range: string, more = {}) => at('ours.example.com', url, { range, ...more });
  const size = whole.length;
  expect(await part('bytes=2-5')).toMatchObject({
    status: 206,
    headers: { 'content-range': `bytes 2-5/${size}`, 'content-length': '4' },
    bytes: whole.subarray(2, 6),
  });
  expect(await part('bytes=-3')).toMatchObject({ status: 206, bytes: whole.subarray(-3) });
  expect(await part(`bytes=${size}-`)).toMatchObject({
    status: 416,
    headers: { 'content-range': `bytes */${size}` },
  });
  expect(await part('bytes=2-5', { 'if-range': '"another"' })).toMatchObject({ status: 200, bytes: whole });
  expect(await part('bytes=1-2,4-5')).toMatchObject({ status: 200, bytes: whole });
});

test('scripts of other sites may read the range and the size of a file', async () => {
  const { url } = await upload(Buffer.concat([pdf, Buffer.from('2')]));
  for (const range of ['bytes=0-3', 'bytes=9999999-', ''])
    expect(await at('ours.example.com', url, { range, origin: 'https://elsewhere.example' })).toMatchObject({
      headers: {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringMatching(/\bAccept-Ranges, Content-Range\b/),
      },
    });
});

test('a file with missing bytes returns 404, which is not cached', async () => {
  const { id, url } = await upload(Buffer.concat([pdf, Buffer.from('2')]));
  await app.deps.media.delete(`${ours}/${id}/original`);
  const { status, headers } = await at('ours.example.com', url);
  expect(status).toBe(404);
  expect(headers['cache-control'] ?? 'no-store').toBe('no-store');
});

async function rawAnswer(url: string, options: { method: string; headers: Record<string, string> }) {
  const { statusCode, headers, body } = await request(url, {
    ...options,
    method: options.method as Dispatcher.HttpMethod,
  });
  return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}
