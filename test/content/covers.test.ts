import { afterAll, expect, test } from 'vitest';
import { resources } from '../../shared/contract/resources/index.ts';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { archiveFrom, archiveOf, filesOf, importBytes, replaceFile } from '../support/archives.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['read', 'write', 'read:content', 'write:media'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

let drawn = 0;

/** Uploads a new image whose size no other image of this file has. */
async function upload(of = key, width = 500) {
  drawn += 1;
  const form = formOf(await pictureElement('png', { width, height: 200 + drawn }), { name: 'Harbour.png' });
  const { body } = await app.post('/api/v2/media', { key: of, ...form });
  return body as { id: string; url: string };
}

const meta = { meta_title: 'For search', meta_description: 'Found by it' };

const shared = ['posts', 'projects', 'courses', 'talks'] as const;

const withCover = Object.values(resources)
  .filter(({ fields }) => 'cover' in fields)
  .map(({ collection }) => collection);

test('only posts, projects, courses, talks and pages have covers', () => {
  expect(withCover.toSorted()).toEqual([...shared, 'pages'].toSorted());
});

/** Returns the paths of all v1 and v2 lists and single reads that contain a record. */
function readsOf(collection: (typeof shared)[number], id: string, slug: string) {
  return [
    `/api/v1/${collection}?limit=100`,
    `/api/v2/${collection}?per_page=100`,
    `/api/v2/${collection}/${id}`,
    ...(collection === 'posts' || collection === 'projects' ? [`/api/v1/${collection}/${slug}`] : []),
  ];
}

async function recordAt(path: string, id: string, of = key): Promise<Record<string, unknown>> {
  const { status, body } = await app.get(path, { key: of });
  expect(status).toBe(200);
  const { data, items } = body as Partial<Record<'data' | 'items', { id: string }[]>>;
  const record = (data ?? items)?.find((one) => one.id === id) ?? body;
  return { ...(record as object) };
}

test.for(shared)('%s: every list and single read returns exactly what include names', async (name) => {
  const image = await upload();
  await studio.media.update.mutate({ id: image.id, alt: 'A harbour' });
  const title = `Cover of ${name}`;
  const { id } = await studio[name].create.mutate({ title, cover: image.id, ...meta });
  const slug = name === 'talks' ? '' : (await studio[name].get.query({ id })).slug;
  const cover = {
    url: image.url,
    alt: 'A harbour',
    width: 500,
    height: 200 + drawn,
    widths: [],
    caption: '',
    focus: null,
  };
  for (const path of readsOf(name, id, slug)) {
    const at = (more: string) => recordAt(`${path}${path.includes('?') ? '&' : '?'}${more}`, id);
    const plain = await at('');
    for (const field of ['cover', ...Object.keys(meta)]) expect(plain).not.toHaveProperty(field);
    expect(await at('include=cover,meta')).toEqual({ ...plain, cover, ...meta });
    expect(await at('include=meta&include=cover')).toEqual({ ...plain, cover, ...meta });
    expect(await at('include=cover')).toEqual({ ...plain, cover });
    expect(await at('include=meta')).toEqual({ ...plain, ...meta });
    if (path.includes('?')) expect(await at('fields=id&include=meta')).toEqual({ id, ...meta });
    expect(await app.get(`${path}${path.includes('?') ? '&' : '?'}include=body`, { key })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message: expect.stringMatching(/^include/) } },
    });
  }
});

test('a record without a cover returns null, and empty meta fields', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Bare' });
  const bare = { cover: null, meta_title: '', meta_description: '' };
  expect(await recordAt(`/api/v2/posts/${id}?include=cover,meta`, id)).toMatchObject(bare);
});

test.for(shared)('%s: the API accepts neither cover nor meta fields in a write', async (name) => {
  for (const field of ['cover', 'meta_title', 'meta_description'])
    expect(await app.post(`/api/v1/${name}`, { key, body: { title: 'T', [field]: 'x' } })).toEqual(
      failure(400, 'validation_failed', expect.stringContaining(field)),
    );
});

test.for(withCover)('%s: a cover must be an image of the same site', async (name) => {
  const other = await app.seed.site({ subdomain: `other-${name}` });
  const theirs = await upload(await app.seed.key({ siteId: other, scopes: ['write:media'] }));
  const { id: pdf } = await pdfOf();
  const procedures = ownedBy(name);
  for (const cover of [theirs.id, pdf, 'mb3k9x2a7f0q1zd'])
    expect(await refusal(procedures.create.mutate({ title: 'T', cover }))).toEqual({
      code: 'validation_failed',
      message: 'cover: must be the id of an image of the site',
    });
  const { id } = await procedures.create.mutate({ title: 'T' });
  expect(await refusal(procedures.update.mutate({ id, cover: theirs.id }))).toMatchObject({
    code: 'validation_failed',
  });
  const own = await upload();
  await procedures.update.mutate({ id, cover: own.id, ...meta });
  expect(await procedures.get.query({ id })).toMatchObject({ cover: own.id, ...meta });
  await procedures.update.mutate({ id, cover: null, meta_title: '' });
  expect(await procedures.get.query({ id })).toMatchObject({ cover: '', meta_title: '' });
});

interface Procedures {
  create: { mutate(values: object): Promise<{ id: string }> };
  update: { mutate(values: object): Promise<unknown> };
  get: { query(input: { id: string }): Promise<unknown> };
}

/**
 * Returns the procedures of one collection. The cast is safe because all collections with a cover have the same
 * procedures.
 */
const ownedBy = (name: (typeof withCover)[number]) => studio[name] as unknown as Procedures;

const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n');

async function pdfOf() {
  const form = formOf(Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n'), {
    name: 'a.pdf',
  });
  const { body } = await app.post('/api/v2/media', { key, ...form });
  return body as { id: string };
}

test("changes of a cover's text, its renditions and its deletion appear in the next response", async () => {
  const image = await upload(key, 900);
  const { id } = await studio.posts.create.mutate({ title: 'Fresh', slug: 'fresh', cover: image.id });
  const paths = readsOf('posts', id, 'fresh').map(
    (path) => `${path}${path.includes('?') ? '&' : '?'}include=cover`,
  );
  const covers = async () => {
    const answers = [];
    // Requests each path twice, because a single record is cached from its second read on.
    for (const path of [...paths, ...paths]) answers.push((await recordAt(path, id)).cover);
    return answers;
  };
  expect(await covers()).toEqual(
    paths.flatMap(() => Array(2).fill(expect.objectContaining({ alt: '', widths: [] }))),
  );
  const said = { alt: 'Boats', caption: 'At noon', focus: { x: 10, y: 80 } };
  await studio.media.update.mutate({ id: image.id, ...said });
  expect(await covers()).toEqual(paths.flatMap(() => Array(2).fill(expect.objectContaining(said))));
  // Other tests of this file left images without renditions, so that one run may not reach this one.
  while ((await makeRenditions(app.deps, new AbortController().signal)) === 0);
  expect(await covers()).toEqual(
    paths.flatMap(() => Array(2).fill(expect.objectContaining({ widths: [400, 800] }))),
  );
  await studio.media.delete.mutate({ id: image.id });
  expect(await covers()).toEqual(paths.flatMap(() => [null, null]));
});

test('a gate withholds only the body: cover, title and description stay readable', async () => {
  const image = await upload();
  const { id } = await studio.posts.create.mutate({
    title: 'Gated',
    content: 'Secret',
    access_tier: 'members',
    cover: image.id,
    ...meta,
  });
  expect(await recordAt(`/api/v2/posts/${id}?include=cover,meta`, id)).toMatchObject({
    is_gated: true,
    cover: { url: image.url },
    ...meta,
  });
});

test('history and trash keep a cover, even after its image was deleted', async () => {
  const [first, second] = [await upload(), await upload()];
  const { id } = await studio.projects.create.mutate({ title: 'Kept', slug: 'kept', cover: first.id });
  await studio.projects.update.mutate({ id, cover: second.id });
  expect((await studio.projects.revisions.query({ id })).items[0]).toMatchObject({ changed: ['cover'] });
  await studio.projects.restore.mutate({ id, revision: 1 });
  expect(await studio.projects.get.query({ id })).toMatchObject({ cover: first.id });
  await studio.media.delete.mutate({ id: first.id });
  // An update that repeats the stored cover is accepted, although the image is deleted.
  await studio.projects.update.mutate({ id, cover: first.id, description: 'More' });
  await studio.projects.delete.mutate({ id });
  await studio.trash.restore.mutate({ collection: 'projects', id });
  expect(await recordAt(`/api/v2/projects/${id}?include=cover`, id)).toMatchObject({ cover: null });
  await studio.projects.restore.mutate({ id, revision: 2 });
  expect(await recordAt(`/api/v2/projects/${id}?include=cover`, id)).toMatchObject({
    cover: { url: second.url },
  });
});

test('the list of uses of an image includes covers and drafts', async () => {
  const image = await upload();
  const { id } = await studio.pages.create.mutate({ title: 'Uses it', is_draft: true, cover: image.id });
  expect(await studio.media.uses.query({ id: image.id })).toEqual({
    data: [{ collection: 'pages', id, title: 'Uses it' }],
  });
});

test('an archive contains covers, with the texts and the focus of their images', async () => {
  const own = await app.seed.site({ subdomain: 'moving' });
  const ofOwner = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  const image = await upload(await app.seed.key({ siteId: own, scopes: ['write:media'] }));
  const said = { alt: 'A pier', caption: 'Photo: Ada', focus: { x: 0, y: 100 } };
  await ofOwner.media.update.mutate({ id: image.id, ...said });
  const { id } = await ofOwner.posts.create.mutate({ title: 'Moves', cover: image.id, ...meta });
  const archive = await archiveOf(app, own);
  await using there = await startApp();
  const { counts } = await importBytes(there, archive);
  expect(counts).toMatchObject({ refused: 0 });
  const reader = await there.seed.key({ siteId: own, scopes: ['read:content'] });
  expect(await there.get(`/api/v2/posts/${id}?include=cover,meta`, { key: reader })).toMatchObject({
    body: { cover: { url: image.url, ...said }, ...meta },
  });
  expect((await archiveOf(there, own)).equals(archive)).toBe(true);
});

test('texts of an image can be read and changed only by its site, and have a maximum length', async () => {
  const image = await upload();
  const stranger = await app.seed.site({ subdomain: 'stranger' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(stranger)).studio;
  expect(await refusal(theirs.media.update.mutate({ id: image.id, alt: 'Mine' }))).toMatchObject({
    code: 'not_found',
  });
  expect(await refusal(theirs.media.get.query({ id: image.id }))).toMatchObject({ code: 'not_found' });
  expect(await refusal(studio.media.update.mutate({ id: image.id, alt: 'x'.repeat(501) }))).toMatchObject({
    code: 'validation_failed',
  });
  await studio.media.update.mutate({ id: image.id, alt: 'A quay' });
  await studio.media.update.mutate({ id: image.id });
  expect(await studio.media.get.query({ id: image.id })).toMatchObject({ id: image.id, alt: 'A quay' });
  const focused = async (focus: { x: number; y: number } | null) => {
    await studio.media.update.mutate({ id: image.id, focus });
    return (await studio.media.get.query({ id: image.id })).focus;
  };
  expect(await focused({ x: 33.4, y: 99.6 })).toEqual({ x: 33, y: 100 });
  expect(await focused(null)).toBeNull();
  expect(await refusal(focused({ x: 0, y: 100.1 }))).toMatchObject({ code: 'validation_failed' });
  expect(siteId).not.toBe(stranger);
});

test('archives without covers and image texts, from earlier versions, can be imported', async () => {
  await using here = await startApp();
  const own = await here.seed.site();
  const ofOwner = ownerClient(here.baseUrl, await here.seed.ownerToken(own)).studio;
  await ofOwner.posts.create.mutate({ title: 'Old' });
  const uploader = await here.seed.key({ siteId: own, scopes: ['write:media'] });
  await here.post('/api/v2/media', { key: uploader, ...formOf(pdf, { name: 'a.pdf' }) });
  const files = await filesOf(await archiveOf(here, own));
  for (const name of ['posts.jsonl', 'media.jsonl'])
    replaceFile(
      files,
      name,
      (files.get(name) ?? '').replace(
        /"(cover|meta_title|meta_description|alt|caption)":"",?|"focus":null,?/g,
        '',
      ),
    );
  await using there = await startApp();
  const { counts } = await importBytes(there, await archiveFrom(files));
  expect(counts).toMatchObject({ refused: 0 });
});
