import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportOptions } from '../../server/transfer/import-target.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { pictureElement } from '../support/images.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { zipOf } from '../support/zips.ts';

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

async function importInto(app: TestApp, file: string, options: ImportOptions = {}) {
  const siteId = await app.seed.ownSite();
  const told: [source: string, outcome: string, reason: string | null][] = [];
  const onRecord = ({ collection, source_id, outcome, reason }: ImportedRecordReport) =>
    void told.push([`${collection} ${source_id}`, outcome, reason]);
  const { counts } = await importFile(app.deps, file, { siteId, actor, ...options, onRecord });
  return { told, counts };
}

/** Returns bodies by title. Media addresses contain the file name without ID. */
async function bodiesOf(app: TestApp) {
  const posts = await rowsOf<{ title: string; content: string }>(app, 'select title, content from posts');
  return Object.fromEntries(
    posts.map(({ title, content }) => [title, content.replace(/\/media\/[a-z0-9]{15}\//g, '/media/…/')]),
  );
}

const namesOf = async (app: TestApp) =>
  (await rowsOf<{ name: string }>(app, 'select name from media order by name')).map(({ name }) => name);

type Files = Readonly<Record<string, string | Buffer>>;

const forms = {
  folder: folderOf,
  async tar(files: Files) {
    const folder = await folderOf(files);
    return temporaryFile(
      execFileSync('tar', ['--format=ustar', '-cf', '-', '-C', folder, '.']),
      'folder.tar',
    );
  },
  zip: (files: Files) => temporaryFile(zipOf(files), 'folder.zip'),
};

test.for(['folder', 'tar', 'zip'] as const)(
  'images next to Markdown in a %s are imported into media, and bodies show them and link to each other',
  async (form) => {
    await using app = await startApp();
    const files: Files = {
      'content/posts/loaf/index.md':
        '---\ntitle: Loaf\ncover: cut.jpg\n---\n![Cut](cut.jpg) <img src="/images/oven.png"> [rye](../rye.md#how) [gone](gone.md)\n',
      'content/posts/loaf/cut.jpg': await pictureElement('jpeg'),
      'content/posts/rye.md':
        '---\ntitle: Rye\n---\n[loaf](loaf/index.md) and [again](/posts/loaf/)\n\n`![x](y.png)`\n\n## How\n',
      'static/images/oven.png': await pictureElement('png', { width: 50 }),
      'static/images/unused.png': await pictureElement('png', { width: 70 }),
      'static/images/broken.png': 'no picture',
      'content/posts/broken.md': '---\ntitle: Broken\n---\n![B](/images/broken.png)\n',
    };
    const file = await forms[form](files);

    const dry = await importInto(app, file, { dryRun: true });
    expect(await namesOf(app)).toEqual([]);
    const { told } = await importInto(app, file);

    expect(dry.told).toEqual(told);
    expect(told.toSorted()).toEqual([
      ['files static/images/unused.png', 'skipped', 'Not imported: no post or page uses this file'],
      ['media content/posts/loaf/cut.jpg', 'created', null],
      ['media static/images/broken.png', 'refused', expect.stringContaining('unsupported file type')],
      ['media static/images/oven.png', 'created', null],
      [
        'posts content/posts/broken.md',
        'created',
        'Links to content that was not imported: /images/broken.png',
      ],
      ['posts content/posts/loaf/index.md', 'created', 'Links to content that was not imported: gone.md'],
      ['posts content/posts/rye.md', 'created', null],
    ]);
    expect(await namesOf(app)).toEqual(['cut.jpg', 'oven.png']);
    expect(await bodiesOf(app)).toEqual({
      Loaf: '![Cut](/media/…/cut.jpg) <img src="/media/…/oven.png"> [rye](/posts/rye#h-how) [gone](gone.md)',
      Rye: '[loaf](/posts/loaf) and [again](/posts/loaf)\n\n`![x](y.png)`\n\n## How',
      Broken: '![B](/images/broken.png)',
    });
    const covers = 'select m.name from posts p join media m on m.id = p.cover';
    expect(await rowsOf(app, covers)).toEqual([{ name: 'cut.jpg' }]);
    const again = await importInto(app, file);
    expect(again.counts.created).toBe(0);
    expect(await namesOf(app)).toEqual(['cut.jpg', 'oven.png']);
  },
);

test('Obsidian notes show images and link to notes by name', async () => {
  await using app = await startApp();
  const matter = '---\npublish: true\n---\n';
  const file = await forms.zip({
    'Vault/.obsidian/app.json': '{}',
    'Vault/Notes/Sourdough.md': `${matter}# Sourdough\n![[crumb.png|300]] [[Rye flour|flour]] [[Rye flour#Whole grain]] [[Nobody]]`,
    'Vault/Notes/Flour/Rye flour.md': `${matter}# Rye flour\n[[sourdough]]\n## Whole grain`,
    'Vault/Attachments/crumb.png': await pictureElement('png'),
    'Vault/Attachments/private.png': await pictureElement('png', { width: 90 }),
  });
  const { told } = await importInto(app, file);
  expect(await bodiesOf(app)).toEqual({
    Sourdough:
      '# Sourdough\n![](/media/…/crumb.png) [flour](/posts/rye-flour) [Rye flour](/posts/rye-flour#h-whole-grain) [[Nobody]]',
    'Rye flour': '# Rye flour\n[sourdough](/posts/sourdough)\n## Whole grain',
  });
  expect(await namesOf(app)).toEqual(['crumb.png']);
  expect(told).toContainEqual([
    'posts Vault/Notes/Sourdough.md',
    'created',
    'Links to content that was not imported: Nobody',
  ]);
});

test('images of a Ghost archive are imported into media, and bodies link to imported content', async () => {
  await using app = await startApp();
  const sample = await readFile(path.join(import.meta.dirname, '../samples/ghost.json'), 'utf8');
  const linking = sample.replace(
    'Twelve square metres',
    '<a href=\\"__GHOST_URL__/a-chair-plan-by-plan/\\">A chair</a> <img src=\\"__GHOST_URL__/content/images/size/w600/2024/05/iron.jpg\\"> <a href=\\"__GHOST_URL__/#/portal/signup\\">Join</a>',
  );
  const file = await temporaryFile(
    zipOf({
      'ghost-content/data/shed.ghost.2024-07-30.json': linking,
      'ghost-content/content/images/2024/05/iron.jpg': await pictureElement('jpeg'),
      'ghost-content/content/images/2024/05/bench.jpg': await pictureElement('jpeg', { width: 90 }),
      'ghost-content/content/images/2024/05/unused.jpg': await pictureElement('jpeg', { width: 80 }),
    }),
    'ghost.zip',
  );

  const { told } = await importInto(app, file);

  expect(await namesOf(app)).toEqual(['bench.jpg', 'iron.jpg']);
  const { 'How to sharpen a plane iron': body } = await bodiesOf(app);
  expect(body).toContain('<img src="/media/…/iron.jpg" alt="">');
  const [page] = await rowsOf<{ content: string }>(app, 'select content from pages');
  expect(page?.content).toMatch(
    /<a href="\/posts\/a-chair-plan-by-plan">A chair<\/a> <img src="\/media\/\w+\/iron.jpg">/,
  );
  expect(page?.content).not.toContain('__GHOST_URL__');
  expect(told).toContainEqual([
    'files ghost-content/content/images/2024/05/unused.jpg',
    'skipped',
    'Not imported: no post or page uses this file',
  ]);
});

/** Starts an old site on this machine. Returns it with the fetch rules that allow requests to it. */
async function startOldSite(images: Readonly<Record<string, Buffer | string>>) {
  const receiver = await startReceiver({
    certificate: null,
    answer(request, response) {
      const content = images[request.url ?? ''];
      if (content === undefined) response.writeHead(404).end();
      else if (typeof content === 'string' && content.startsWith('to '))
        response.writeHead(302, { location: content.slice(3) }).end();
      else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(content);
    },
  });
  return Object.assign(receiver, { host: `tides.example.com:${receiver.port}` });
}

const item = (id: number, content: string, more = '') =>
  `<item><title>Post ${id}</title><link>http://HOST/2024/03/post-${id}/</link><guid>http://HOST/?p=${id}</guid><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>${id}</wp:post_id><wp:post_name>post-${id}</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type><wp:post_date_gmt>2024-03-09 10:00:00</wp:post_date_gmt>${more}</item>`;

const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key><![CDATA[${key}]]></wp:meta_key>
    <wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;

const attachment = (id: number, url: string, more = '') =>
  `<item><title>File</title><wp:post_id>${id}</wp:post_id><wp:status>inherit</wp:status><wp:post_type>attachment</wp:post_type><wp:attachment_url><![CDATA[${url}]]></wp:attachment_url>${more}</item>`;

const wordPress = (host: string, ...items: string[]) =>
  `<rss><channel><link>http://${host}</link><wp:base_blog_url>http://${host}</wp:base_blog_url>${items.join('').replaceAll('HOST', host)}</channel></rss>`;

test('images of a WordPress export are fetched on request, only from the old site, and links lead to imported content', async () => {
  await using app = await startApp();
  await using old = await startOldSite({
    '/wp-content/uploads/2024/03/oar.jpg': await pictureElement('jpeg'),
    '/wp-content/uploads/moved.png': 'to /wp-content/uploads/2024/03/oar.jpg',
    '/wp-content/uploads/page.png': '<html>no picture</html>',
    '/wp-content/uploads/inside.png': 'to http://10.0.0.1/secret.png',
  });
  const xml = wordPress(
    old.host,
    item(
      1,
      '<img src="http://HOST/wp-content/uploads/2024/03/oar-300x200.jpg" srcset="http://HOST/wp-content/uploads/2024/03/oar-300x200.jpg 300w, http://HOST/wp-content/uploads/2024/03/oar.jpg 1200w"> <a href="https://HOST/2024/03/post-2/#more">two</a> <a href="http://HOST/?p=2">two</a> <img src="https://elsewhere.example.org/a.png">',
      meta('_thumbnail_id', '9'),
    ),
    item(
      2,
      '<img src="/wp-content/uploads/page.png"><img src="http://HOST/wp-content/uploads/gone.png"><a href="http://HOST/shop/">Shop</a>',
    ),
    item(
      3,
      '<img src="http://HOST/wp-content/uploads/moved.png"> <img src="http://HOST/wp-content/uploads/inside.png">',
    ),
    attachment(
      9,
      'http://HOST/wp-content/uploads/2024/03/oar.jpg',
      `<excerpt:encoded><![CDATA[By <b>Ada</b>]]></excerpt:encoded>${meta('_wp_attachment_image_alt', 'An oar')}`,
    ),
    attachment(10, 'http://HOST/wp-content/uploads/unused.jpg'),
    attachment(
      11,
      'http://HOST/wp-content/uploads/moved.png',
      `<excerpt:encoded><![CDATA[]]></excerpt:encoded>${meta('_wp_attachment_image_alt', '')}`,
    ),
    item(4, 'Moved', meta('_thumbnail_id', '11')),
  );
  const file = await temporaryFile(xml, 'wordpress.xml');
  const fetchImages = { lookup: async () => ['127.0.0.1'], allowCidrs: [parseCidr('127.0.0.1/32')] };

  const dry = await importInto(app, file, { fetchImages, dryRun: true });
  expect(await namesOf(app)).toEqual([]);
  const { told } = await importInto(app, file, { fetchImages });

  const at = (name: string) => `http://${old.host}/wp-content/uploads/${name}`;
  const isOfTwo = ([source]: (typeof told)[number]) =>
    source.endsWith('moved.png') || source.endsWith('oar.jpg');
  const others = (report: typeof told) => report.filter((row) => !isOfTwo(row)).toSorted();
  expect(others(dry.told)).toEqual(others(told));
  const other = 'Already on this site: the same file';
  expect(told.filter((row) => row[0].startsWith('media ') && !isOfTwo(row)).toSorted()).toEqual([
    [`media ${at('gone.png')}`, 'refused', 'Not imported: the old site answered with status 404'],
    [`media ${at('inside.png')}`, 'refused', 'Not imported: the URL points to a private network address'],
    [`media ${at('page.png')}`, 'refused', expect.stringContaining('')],
  ]);
  // Two addresses have the same bytes, and either may be fetched first.
  const same = told.filter(
    ([source]) => source.endsWith('moved.png') || source === `media ${at('2024/03/oar.jpg')}`,
  );
  expect(same.map(([, outcome, reason]) => [outcome, reason]).toSorted()).toEqual([
    ['created', null],
    ['skipped', other],
  ]);
  expect(told).toContainEqual([
    'attachment 10',
    'skipped',
    `Not imported: no new post shows this file, or images were not downloaded (${at('unused.jpg')})`,
  ]);
  expect(told.filter(([source]) => source === 'attachment 9')).toEqual([]);
  expect(await namesOf(app)).toHaveLength(1);
  const covers = 'select alt, caption from posts p join media m on m.id = p.cover';
  const oar = { alt: 'An oar', caption: 'By Ada' };
  expect(await rowsOf(app, covers)).toEqual([oar, oar]);
  const bodies = await bodiesOf(app);
  expect(bodies['Post 1']).toMatch(
    /^<p><img src="\/media\/…\/\w+\.jpg" srcset="\/media\/…\/\w+\.jpg"> <a href="\/posts\/post-2#more">two<\/a> <a href="\/posts\/post-2">two<\/a> <img src="https:\/\/elsewhere\.example\.org\/a\.png"><\/p>$/,
  );
  expect(told).toContainEqual([
    'posts 2',
    'created',
    `Links to content that was not imported: /wp-content/uploads/page.png, ${at('gone.png')}, http://${old.host}/shop/`,
  ]);
  expect(old.requests.every(({ headers }) => !headers.cookie && !headers.authorization)).toBe(true);
});

test('images are not fetched from addresses that webhooks must not call', async () => {
  await using app = await startApp();
  await using old = await startOldSite({ '/a.png': await pictureElement('png') });
  const file = await temporaryFile(
    wordPress(old.host, item(1, '<img src="http://HOST/a.png">')),
    'wordpress.xml',
  );
  const { told } = await importInto(app, file, {
    fetchImages: { lookup: async () => ['127.0.0.1'], allowCidrs: [] },
  });
  expect(told[0]).toEqual([
    `media http://${old.host}/a.png`,
    'refused',
    'Not imported: the URL points to a private network address',
  ]);
  expect(old.requests).toEqual([]);
});

test('a failed import cancels running image requests, starts no new ones, and reports nothing more', async () => {
  await using app = await startApp();
  const told: string[] = [];
  const underWay = Promise.withResolvers<void>();
  const cutOff = Promise.withResolvers<void>();
  await using old = await startReceiver({
    certificate: null,
    answer(request, response) {
      if (request.url === '/0.png') return void underWay.promise.then(() => response.writeHead(404).end());
      if (request.url === '/3.png') underWay.resolve();
      response.writeHead(200, { 'content-type': 'image/png' }).write('a beginning');
      if (request.url === '/1.png') response.on('close', cutOff.resolve);
    },
  });
  const host = `tides.example.com:${old.port}`;
  const images = Array.from({ length: 8 }, (_, n) => `<img src="http://HOST/${n}.png">`);
  const file = await temporaryFile(wordPress(host, item(1, images.join(' '))), 'wordpress.xml');
  const importing = importFile(app.deps, file, {
    ...{ siteId: await app.seed.ownSite(), actor },
    fetchImages: { lookup: async () => ['127.0.0.1'], allowCidrs: [parseCidr('127.0.0.1/32')] },
    onRecord({ source_id }) {
      told.push(source_id);
      throw new Error('whoever was to be told has gone');
    },
  });
  await expect(importing).rejects.toThrow('whoever was to be told has gone');
  await cutOff.promise;
  expect(old.requests.map(({ path }) => path).toSorted()).toEqual(['/0.png', '/1.png', '/2.png', '/3.png']);
  expect(told).toEqual([`http://${host}/0.png`]);
});

test('without the option no image is fetched, and images that remain at the old site are reported', async () => {
  await using app = await startApp();
  await using old = await startOldSite({ '/a.png': await pictureElement('png') });
  const file = await temporaryFile(
    wordPress(old.host, item(1, '<img src="http://HOST/a.png">')),
    'wordpress.xml',
  );
  const { told } = await importInto(app, file);
  expect(told).toEqual([
    ['posts 1', 'created', `Images still loaded from the old site: http://${old.host}/a.png`],
  ]);
  expect(old.requests).toEqual([]);
});

test.for([
  ['is damaged', zipOf({ 'a.md': '# A' }).subarray(0, 60)],
  ['names a file outside', zipOf({ '../a.md': '# A' })],
  ['holds more than it says', zipOf({ 'a.md': '# A'.repeat(1_000) }, { claimedSize: 10 })],
  ['says that it holds more than any does', zipOf({ 'a.md': '# A' }, { claimedSize: 4_000_000_000 })],
  ['has nothing in it that is read', zipOf({ 'a.txt': 'A' })],
] as const)('an archive that %s is refused, and nothing is stored', async ([, bytes]) => {
  await using app = await startApp();
  await expect(importInto(app, await temporaryFile(bytes, 'a.zip'))).rejects.toThrow(
    /^the (archive of the )?folder /,
  );
  expect(await rowsOf(app, 'select id from posts')).toEqual([]);
});
