import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../client/sdk/create-client.ts';
import { srcsetOf } from '../../client/sdk/srcset.ts';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { startTestWorker } from '../support/worker.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: ['write:media'] });

interface File {
  id: string;
  url: string;
  widths: number[];
}

const upload = async (content: Buffer, name = 'a.jpg') =>
  (await app.post('/api/v2/media', { key, ...formOf(content, { name }) })).body as File;

const fileNow = async (id: string) => {
  const { body } = await app.get('/api/v2/media', { key });
  return (body as { items: File[] }).items.find((file) => file.id === id);
};

const work = (signal = new AbortController().signal) => makeRenditions(app.deps, signal);

/** A time in the past: the column stores milliseconds, and rounding could move the current time into the future. */
const makeDue = (id: string) =>
  app.deps.database.em.execute(
    `update media_to_size set due_at = now() - interval '1 second' where id = '${id}'`,
  );

test("the worker creates renditions in each width below the image's, with the orientation applied", async () => {
  const { id } = await upload(await pictureElement('jpeg', { width: 700, height: 1000, orientation: 6 }));
  await using _worker = await startTestWorker(app);
  const sized = await eventually(async () => {
    const file = await fileNow(id);
    return file?.widths.length === 2 ? file : null;
  });
  expect(sized.widths).toEqual([400, 800]);
  for (const width of sized.widths) {
    const answer = await fetch(`${app.baseUrl}/media/${id}/${width}/a.webp`);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    const copy = sharp(Buffer.from(await answer.arrayBuffer()));
    expect(await copy.metadata()).toMatchObject({ format: 'webp', width, height: (width * 700) / 1000 });
  }
  expect((await fetch(`${app.baseUrl}/media/${id}/1600/a.webp`)).status).toBe(404);
});

test("every URL of srcsetOf is served in its stated width, whatever the file's name", async () => {
  const client = createClient({ baseUrl: app.baseUrl, apiKey: key });
  for (const name of ['a.jpg', 'Été (1).b.jpg', '50%.jpg', 'none']) {
    const { id } = await upload(await pictureElement('jpeg', { width: 900 + name.length, height: 60 }), name);
    expect(srcsetOf(await client.v2.media.get.query({ id }), app.baseUrl)).toBe('');
    await makeDue(id);
    await work();
    const file = await client.v2.media.get.query({ id });
    const sizes = srcsetOf(file, `${app.baseUrl}/`).split(', ');
    expect(sizes.map((size) => size.split(' ')[1])).toEqual(['400w', '800w', `${900 + name.length}w`]);
    for (const size of sizes) {
      const [address = '', width] = size.split(' ');
      const image = sharp(Buffer.from(await (await fetch(address)).arrayBuffer()));
      expect(`${(await image.metadata()).width}w`).toBe(width);
    }
    expect(
      srcsetOf(file)
        .split(', ')
        .map((size) => app.baseUrl + size),
    ).toEqual(sizes);
  }
});

test('sites take turns with their images, however many one of them has waiting', async () => {
  const many = await app.seed.ownSite();
  const [one, other] = [await app.seed.site(), await app.seed.site()];
  const { em } = app.deps.database;
  const waiting = [
    ...Array.from({ length: 4 }, (_, n) => ({ site: many, id: `00000000000000${n}` })),
    ...Array.from({ length: 2 }, (_, n) => ({ site: one, id: `00000000000001${n}` })),
    { site: other, id: '000000000000020' },
  ];
  // Rows of deleted images, which need no decoder: each turn only deletes its row.
  for (const [n, { site, id }] of waiting.entries())
    await em.execute(
      `insert into media_to_size (site_id, id, due_at, tries) values (?, ?, now() - interval '1 minute' + ${n} * interval '1 second', 0)`,
      [site, id],
    );
  const served = new Set<string>();
  const turns: string[] = [];
  for (const _ of waiting) {
    await makeRenditions(app.deps, new AbortController().signal, served);
    turns.push([...served].at(-1) ?? '');
  }
  expect(turns).toEqual([many, one, other, many, one, many, many]);
});

test.for([
  ['an animation', () => animation(), []],
  ['an undecodable image', () => brokenImage(), [{ given_up: 'undecodable', tries: 3 }]],
] as const)('%s has no renditions, and is not retried', async ([, made, left]) => {
  const { id } = await upload(await made(), 'b.png');
  for (let round = 0; round < 4; round++) {
    await makeDue(id);
    await work();
  }
  expect(await fileNow(id)).toMatchObject({ widths: [] });
  const rows = await app.deps.database.em.execute(
    `select given_up, tries from media_to_size where id = '${id}'`,
  );
  expect(rows).toEqual(left);
});

test('a starting worker removes the folders of killed workers, and no others', async () => {
  const names = ['killed', 'working'].map((name) => `creator-content-sizes-${name}-${randomUUID()}`);
  for (const name of names) await mkdir(path.join(tmpdir(), name));
  const [killed = '', working = ''] = names;
  onTestFinished(() => rm(path.join(tmpdir(), working), { recursive: true }));
  const twoHoursAgo = (Date.now() - 7_200_000) / 1_000;
  await utimes(path.join(tmpdir(), killed), twoHoursAgo, twoHoursAgo);
  await using _worker = await startTestWorker(app);
  await eventually(async () => !(await readdir(tmpdir())).includes(killed));
  expect(await readdir(tmpdir())).toContain(working);
});

test('an image that is deleted while renditions are created leaves no files', async () => {
  const { id } = await upload(await pictureElement('png', { width: 900, height: 901 }));
  const deps = {
    ...app.deps,
    media: {
      ...app.deps.media,
      async put(...put: Parameters<typeof app.deps.media.put>) {
        await app.deps.media.put(...put);
        await app.delete(`/api/v2/media/${id}`, { key });
      },
    },
  };
  await makeRenditions(deps, new AbortController().signal);
  expect((await readdir(app.mediaDir, { recursive: true })).filter((path) => path.includes(id))).toEqual([]);
});

test('a stopping worker leaves the image to the next one, without renditions', async () => {
  const { id } = await upload(await pictureElement('png', { width: 900, height: 902 }));
  const stopping = new AbortController();
  stopping.abort();
  await work(stopping.signal);
  expect(await fileNow(id)).toMatchObject({ widths: [] });
  await work();
  expect(await fileNow(id)).toMatchObject({ widths: [400, 800] });
});

test('an image whose worker died is processed by another when the lease ends', async () => {
  const { id } = await upload(await pictureElement('png', { width: 900, height: 903 }));
  const lost = { ...app.deps, media: { ...app.deps.media, get: () => new Promise<never>(() => {}) } };
  void makeRenditions(lost, new AbortController().signal);
  const claimed = () =>
    app.deps.database.em.execute<{ tries: number }[]>(
      `select tries from media_to_size where id = '${id}' and due_at > now()`,
    );
  await eventually(async () => ((await claimed()).length === 1 ? true : null));
  expect(await work()).toBeNull();
  await makeDue(id);
  expect(await work()).toBe(0);
  expect(await fileNow(id)).toMatchObject({ widths: [400, 800] });
});

async function animation(): Promise<Buffer> {
  const frame = (background: string) =>
    sharp({ create: { width: 500, height: 400, channels: 3, background } })
      .png()
      .toBuffer();
  return sharp(await Promise.all(['#f00', '#0f0'].map(frame)), { join: { animated: true } })
    .gif()
    .toBuffer();
}

/** File with a valid structure that contains no decodable image. */
async function brokenImage(): Promise<Buffer> {
  const content = await pictureElement('png', { width: 900, height: 700 });
  const data = content.indexOf('IDAT') + 4;
  return content.fill(7, data, data + 100);
}
