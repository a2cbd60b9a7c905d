import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { box, filled } from '../support/expensive-images.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { parseReplies } from '../support/raw-http.ts';
import { filesBelow } from '../support/stored-keys.ts';

// Hostile and damaged files, forms and senders: each gets a clear error and leaves no file behind.

// A folder of its own for temporary files, because other processes receive uploads at the same time.
const ownFolder = await mkdtemp(join(tmpdir(), 'media-hostile-'));
vi.stubEnv('TMPDIR', ownFolder);
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(ownFolder, { recursive: true });
});

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['write:media'] });

const upload = (content: Buffer, form: Parameters<typeof formOf>[1] = {}) =>
  app.post('/api/v2/media', { key, ...formOf(content, form) });

const unsupported = failure(415, 'unsupported_media_type');
const damaged = failure(422, 'media_damaged');
const tooManyPixels = failure(422, 'image_too_large');

afterEach(async () => {
  expect(await spooled()).toEqual([]);
  expect(await kept()).toHaveLength((await app.deps.database.em.execute('select from media')).length);
});

test.for([
  [
    'an SVG with a script',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'image/svg+xml',
  ],
  [
    'an SVG that says to be a PNG',
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    'image/png',
  ],
  ['HTML', '<!doctype html><script>alert(1)</script>', 'text/html'],
  ['HTML that says to be a JPEG', '<html><body onload=alert(1)>', 'image/jpeg'],
  ['a script', 'alert(document.cookie)', 'image/gif'],
  ['an archive', 'PK\x03\x04 and more', 'application/zip'],
  ['a program', '\x7fELF\x02\x01\x01', 'image/png'],
  ['two bytes', 'BM', 'image/bmp'],
] as const)('%s is refused as an unsupported type', async ([, content, type]) => {
  expect(await upload(Buffer.from(content, 'latin1'), { type })).toEqual(unsupported);
});

test('the type of a file is detected from its bytes, not from name or header', async () => {
  const answer = await upload(await pictureElement('png'), { name: 'run.html', type: 'text/html' });
  expect(answer).toMatchObject({ status: 201, body: { type: 'image/png', name: 'run.png' } });
});

test('an empty file is refused', async () => {
  expect(await upload(Buffer.alloc(0))).toEqual(failure(400, 'validation_failed', 'file: must not be empty'));
});

test.for(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)(
  'a %s that is cut off anywhere is refused',
  async (format) => {
    const content = await pictureElement(format, { width: 80, height: 60 });
    const cuts = Array.from({ length: 12 }, (_, step) => Math.floor((content.length * (step + 1)) / 13));
    const answers = await Promise.all(
      [...cuts, content.length - 1].map((end) => upload(content.subarray(0, end))),
    );
    expect(answers.filter(({ status }) => status !== 422 && status !== 415)).toEqual([]);
  },
);

test.for(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)(
  'a %s with any changed byte is accepted or refused, without an internal error',
  async (format) => {
    const content = await pictureElement(format, { width: 80, height: 60 });
    const statuses = new Set<number>();
    for (let at = 0; at < 60; at++) {
      const changed = Buffer.from(content);
      const position = Math.floor((at * content.length) / 60);
      changed[position] = (changed[position] ?? 0) ^ 0xff;
      statuses.add((await upload(changed)).status);
    }
    expect([...statuses].filter((status) => ![200, 201, 415, 422].includes(status))).toEqual([]);
  },
);

test.for([
  ['a PNG of 100 megapixels in 300 bytes', () => pngOf(10_000, 10_000)],
  ['a PNG of 4 thousand million squared', () => pngOf(0xffff_ffff, 0xffff_ffff)],
  ['a GIF of 65535 squared', () => gifOf(65_535, 65_535)],
  ['a JPEG of 65535 squared', async () => jpegOf(65_535, 65_535)],
] as const)('%s is refused before decoding', async ([, made]) => {
  expect(await upload(await made())).toEqual(tooManyPixels);
});

test('an image without any pixels is refused', async () => {
  expect(await upload(pngOf(0, 10))).toEqual(damaged);
});

test.for([
  [
    'a GIF that is a script too',
    () => Buffer.concat([gifOf(12_079, 42), Buffer.from('*/=1;alert(1)')]),
    'alert',
  ],
  ['a PNG with a page behind it', async () => Buffer.concat([await pictureElement('png'), page]), '<script>'],
  [
    'a JPEG with a page behind it',
    async () => Buffer.concat([await pictureElement('jpeg'), page]),
    '<script>',
  ],
  [
    'a PNG with a page in a comment',
    async () => withText(await pictureElement('png'), String(page)),
    '<script>',
  ],
  [
    'a WebP with a page behind it',
    async () => Buffer.concat([await pictureElement('webp'), page]),
    '<script>',
  ],
] as const)('of %s only the image is stored', async ([, made, foreign]) => {
  const content = await made();
  expect(content.includes(foreign)).toBe(true);
  const { status, body } = await upload(content);
  expect(status).toBeLessThan(202);
  const served = await fetch(app.baseUrl + (body as { url: string }).url);
  expect(served.headers.get('content-type')).toMatch(/^image\//);
  expect(Buffer.from(await served.arrayBuffer()).includes(foreign)).toBe(false);
});

test.for([
  ['../../../etc/passwd', 'passwd.png'],
  ['..\\..\\windows\\system.ini', 'system.png'],
  ['/absolute/path.png', 'path.png'],
  ['.htaccess', 'file.png'],
  ['..', 'file.png'],
  ['', 'file.png'],
  ["it's <b>bold</b> & more.png", 'b> & more.png'],
  ['two\tblanks   here.png', 'two blanks here.png'],
  ['näme 日本語 🚀.png', 'näme 日本語 🚀.png'],
  ['photo\u202egnp.exe', 'photognp.png'],
  [`${'é'.repeat(300)}.png`, `${'é'.repeat(196)}.png`],
  ['a.tar.gz', 'a.tar.png'],
] as const)('the name %j is stored as %j', async ([name, expected]) => {
  const answer = await upload(await pictureElement('png', { width: 100 + names++ }), { name });
  expect(answer).toMatchObject({ status: 201, body: { name: expected } });
  expect((await fetch(app.baseUrl + (answer.body as { url: string }).url)).status).toBe(200);
});

let names = 0;

test('a form that does not have exactly one file is refused with the reason', async () => {
  const content = await pictureElement('png');
  const { body, headers } = formOf(content);
  const end = body.subarray(0, -30);
  const again = Buffer.concat([body.subarray(0, body.lastIndexOf('--a-boundary')), formOf(content).body]);
  const send = (sent: Buffer | string, type = headers['content-type']) =>
    app.post('/api/v2/media', { key, body: sent, headers: { 'content-type': type } });
  const noForm = failure(
    400,
    'invalid_request',
    'invalid request body: send multipart/form-data with the file in the field `file`',
  );
  expect(await send(content, 'image/png')).toEqual(noForm);
  expect(await send('{}', 'application/json')).toEqual(noForm);
  expect(await app.post('/api/v2/media', { key })).toEqual(noForm);
  expect(await send(body, 'multipart/form-data')).toMatchObject({ status: 400 });
  expect(await send(end)).toMatchObject({ status: 400 });
  expect(await send('')).toMatchObject({ status: 400 });
  expect(await upload(content, { field: 'picture' })).toEqual(
    failure(400, 'validation_failed', expect.stringMatching(/^picture: .* only `file`/)),
  );
  expect(await send(again)).toEqual(failure(400, 'validation_failed', 'file: must be exactly one file'));
});

test('the sender of a large refused file receives the refusal, and the next upload works', async () => {
  const large = Buffer.alloc(20_000_000, '<html>');
  expect(await upload(large)).toEqual(unsupported);
  expect((await upload(await pictureElement('png', { width: 99 }))).status).toBeLessThan(202);
});

test.runIf(process.platform === 'linux')('a sender that disconnects leaves no file', async () => {
  const { body, headers } = formOf(Buffer.concat([await pictureElement('png'), Buffer.alloc(1_000_000)]));
  const sockets = await Promise.all(
    Array.from({ length: 3 }, () => begin(body.subarray(0, 400_000), body.length, headers['content-type'])),
  );
  await eventually(async () => ((await arriving()) === 3 ? true : null));
  for (const socket of sockets) socket.destroy();
  await eventually(async () => ((await arriving()) === 0 ? true : null));
});

test('a sender without a credential is refused before the file is sent', async () => {
  const { headers } = formOf(Buffer.alloc(0));
  const socket = await begin(Buffer.from('--'), 50_000_000, headers['content-type'], 'Bearer nothing');
  const [chunk] = await once(socket, 'data');
  expect(parseReplies(chunk)[0]).toMatchObject({ status: 401 });
  socket.destroy();
});

test('of a hundred concurrent uploads each is stored completely, or refused as busy', async () => {
  const contents = await Promise.all(
    Array.from({ length: 100 }, (_, at) => pictureElement('png', { width: 200 + at })),
  );
  const answers = await Promise.all(contents.map((content) => upload(content)));
  const busy = failure(503, 'uploads_busy');
  expect(
    answers.filter((answer) => answer.status !== 201 && JSON.stringify(answer) !== JSON.stringify(busy)),
  ).toEqual([]);
});

const page = Buffer.from('<script>alert(1)</script>');

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const data = deflateSync(Buffer.alloc(100_000));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Adds a text chunk after signature and header of a PNG. */
const withText = (png: Buffer, text: string) =>
  Buffer.concat([png.subarray(0, 33), chunk('tEXt', Buffer.from(`Comment\0${text}`)), png.subarray(33)]);

/** Creates a GIF. A width of 12079 pixels is `/*` in ASCII, which begins a JavaScript comment. */
function gifOf(width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const image = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]);
  return Buffer.concat([head, image]);
}

async function jpegOf(width: number, height: number): Promise<Buffer> {
  const content = await pictureElement('jpeg');
  const frame = content.indexOf(Buffer.from([0xff, 0xc0]));
  content.writeUInt16BE(height, frame + 5);
  content.writeUInt16BE(width, frame + 7);
  return content;
}

/** Opens a connection and sends the beginning of an upload. */
async function begin(part: Buffer, length: number, type: string, authorization = `Bearer ${key}`) {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = ['POST /api/v2/media HTTP/1.1', 'Host: localhost', `Content-Type: ${type}`];
  socket.write(
    [...head, `Authorization: ${authorization}`, `Content-Length: ${length}`, '', ''].join('\r\n'),
  );
  socket.write(part);
  return socket;
}

/** Returns the files that uploads left in the folder of temporary files. */
async function spooled(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('creator-content-upload-'));
}

/** Returns the number of open upload files of this process. They have no name, so they are counted in Linux's `/proc`. */
async function arriving(): Promise<number> {
  const open = await readdir('/proc/self/fd');
  const names = await Promise.all(open.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return names.filter((name) => name.includes('creator-content-upload-')).length;
}

/** Returns all files of the media store, including incomplete ones. */
async function kept(): Promise<string[]> {
  return filesBelow(app.mediaDir);
}

test('an AVIF that announces an unlimited number of items is refused with little memory', async () => {
  const items = Buffer.concat([
    Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]),
    filled(Buffer.from([0, 1, 0, 0, 0xff, 0xff]), 600),
  ]);
  const file = Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0', 'latin1')),
    box(
      'meta',
      Buffer.alloc(4),
      box('pitm', Buffer.alloc(6)),
      box('iloc', items),
      box('iinf', Buffer.alloc(6)),
    ),
  ]);
  const before = process.memoryUsage().rss;
  expect(await upload(file)).toEqual(damaged);
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
});
