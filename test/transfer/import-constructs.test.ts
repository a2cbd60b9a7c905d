import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folderOf, temporaryFile } from '../support/archives.ts';
import { pictureElement } from '../support/images.ts';
import { zipOf } from '../support/zips.ts';

// Special syntax inside tables, quotes and lists, and galleries with missing files (docs/reference/imports.md).

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

/** Imports a file. Returns the notes of posts and pages by their titles. */
async function importInto(app: TestApp, file: string) {
  const report: ImportedRecordReport[] = [];
  const siteId = await app.seed.ownSite();
  await importFile(app.deps, file, { siteId, actor, onRecord: (one) => report.push(one) });
  const records = report.filter(({ collection }) => collection === 'posts' || collection === 'pages');
  return Object.fromEntries(records.map(({ title, reason }) => [title, reason]));
}

/** Returns the body of a post on its page, without file IDs and the attributes that all images and tables have. */
async function shown(app: TestApp, slug: string) {
  const page = await (await fetch(`${app.baseUrl}/posts/${slug}`)).text();
  const body = /<div class="body prose">([\s\S]*?)<\/div>\n<footer/.exec(page)?.[1] ?? page;
  return body
    .replaceAll(
      / (?:loading|decoding|tabindex|role|aria-label|preload|rel|srcset|sizes|width|height)="[^"]*"/g,
      '',
    )
    .replaceAll(/\/media\/\w+\//g, '/media/');
}

test('Obsidian links, embeds, highlights and code work in tables, quotes and lists', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    '.obsidian/app.json': '{}',
    'From.md': `---\npublish: true\n---\n${[
      '| A | B |\n|---|---|\n| [[Note\\|words]] | ![[pic.png\\|75]] |\n| ![[pic.png\\|An \\| oar\\|75x20]] | ==[[Note]]== `[[a\\|b]]` |',
      '| A | B |\n|---|---|\n| ![one\\|75](pic.png) | [two](Note.md) ![[song.wav\\|300]] |',
      '> [[Note|quoted]]\n>\n> - ![[pic.png|75]] ==marked==\n>   - [[Note]][^1]',
      '1. Item\n\n   > [!tip] In a list\n   > Said\n\n   ```\n   code\n\n   [[Note]] ==x== ^y\n   ```\n\n   ![[pic.png]]',
      '> | C |\n> |---|\n> | [[Note\\|cell]] |\n>\n> ~~~\n> ![[pic.png]]\n> ~~~',
      '[^1]: At the foot [[Note|foot]] ![[pic.png|20]]',
    ].join('\n\n')}\n`,
    'Note.md': '---\npublish: true\n---\nText\n',
    'pic.png': await pictureElement('png'),
    'song.wav': Buffer.from('RIFF\0\0\0\0WAVEfmt '.padEnd(64, '\0'), 'latin1'),
  });
  expect(await importInto(app, folder)).toEqual({ From: null, Note: null });
  const page = await shown(app, 'from');
  const image = (alt = '') => `<img alt="${alt}" src="/media/pic.png" />`;
  const link = (words: string) => `<a href="/posts/note">${words}</a>`;
  for (const part of [
    `<td>${link('words')}</td>\n<td>${image()}</td>`,
    `<td>${image('An | oar')}</td>\n<td><mark>${link('Note')}</mark> <code>[[a|b]]</code></td>`,
    `<td>${image('one')}</td>\n<td>${link('two')} <audio controls src="/media/song.wav"></audio></td>`,
    `<p>${link('quoted')}</p>`,
    `<li>${image()} <mark>marked</mark>`,
    `<li>${link('Note')}<sup class="footnote-ref">`,
    '<blockquote>\n<p><strong>In a list</strong></p>\n<p>Said</p>\n</blockquote>',
    '>code\n\n[[Note]] ==x== ^y\n</code>',
    `<p>${image()}</p>`,
    `<td>${link('cell')}</td>`,
    '>![[pic.png]]\n</code>',
    `At the foot ${link('foot')} ${image()}`,
  ])
    expect(page).toContain(part);
});

const attachment = (id: number, name: string, caption = '') =>
  `<item><title>P</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status>
  <excerpt:encoded><![CDATA[${caption}]]></excerpt:encoded><wp:attachment_url>https://old.example.com/up/${name}</wp:attachment_url></item>`;

const wordPressOf = (body: string, attachments: readonly string[]) => `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:content="c" xmlns:wp="w" xmlns:excerpt="e"><channel><wp:base_blog_url>https://old.example.com</wp:base_blog_url>
<item><title>Post</title><content:encoded><![CDATA[${body}]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_name>post</wp:post_name>
<wp:post_date_gmt>2024-05-03 07:15:00</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>
${attachments.join('\n')}</channel></rss>`;

const up = 'https://old.example.com/up';

test('WordPress galleries and playlists show the available files, and a note names missing ones', async () => {
  await using app = await startApp();
  const body = [
    '[gallery ids="2,3,4,5,6,7"]',
    `[gallery columns='3' ids='2, 99,8' link="none"]`,
    '[gallery include=98,3]',
    '[playlist type="audio" ids="8,97,9,2"]',
    '[playlist ids="10" type="video"]',
    '[gallery ids="95,96"]',
    '<pre>[gallery ids="2,94"]</pre>',
  ].join('\n\n');
  const images = [2, 3, 4, 5, 6].map((id) => attachment(id, `${id}.jpg`, id === 3 ? 'Third' : ''));
  const sounds = [attachment(8, '8.mp3', 'Song'), attachment(9, '9.OGG'), attachment(10, '10.mp4')];
  const file = await temporaryFile(wordPressOf(body, [...images, ...sounds]), 'wordpress.xml');
  const notes = await importInto(app, file);
  expect(notes.Post?.split('. ')).toEqual([
    'Images missing in the gallery, because the export does not contain these IDs: 7',
    'Images missing in the gallery, because the export does not contain these IDs: 99, 8',
    'Images missing in the gallery, because the export does not contain these IDs: 98',
    'Recordings missing in the playlist, because the export does not contain these IDs: 97, 2',
    'Shortcodes shown as plain text: gallery',
    expect.stringMatching(/^Images still loaded from the old site: /),
    expect.stringMatching(/^Links to content that was not imported: /),
  ]);
  const page = await shown(app, 'post');
  const image = (id: number) =>
    `<figure><img alt="" src="${up}/${id}.jpg" />${id === 3 ? '<figcaption>Third</figcaption>' : ''}</figure>`;
  for (const part of [
    [2, 3, 4, 5, 6].map(image).join('\n'),
    `<figure><audio controls src="${up}/8.mp3"></audio><figcaption>Song</figcaption></figure>\n<figure><audio controls src="${up}/9.OGG"></audio></figure>`,
    `<figure><video controls src="${up}/10.mp4"></video></figure>`,
    '[gallery ids="95,96"]',
    '<pre>[gallery ids="2,94"]</pre>',
  ])
    expect(page).toContain(part);
  expect(page.split(image(2))).toHaveLength(3);
  expect(page.split(image(3))).toHaveLength(3);
});

test('Ghost gallery cards and lists of embeds show the available files, and a note names missing ones', async () => {
  await using app = await startApp();
  const card = [1, 2, 3].map(
    (id) =>
      `<div class="kg-gallery-image"><img src="__GHOST_URL__/content/images/${id}.png" alt="${id}"></div>`,
  );
  const html = `<figure class="kg-card kg-gallery-card"><div class="kg-gallery-row">${card.join('')}</div><figcaption>Three</figcaption></figure>
    <img src="__GHOST_URL__/content/images/1.png" srcset="__GHOST_URL__/content/images/4.png 900w, __GHOST_URL__/content/images/3.png 300w">`;
  const post = {
    ...{ id: '66a0c0ffee00000000000001', title: 'Card', slug: 'card', html, type: 'post' },
    ...{ status: 'published', visibility: 'public', published_at: '2024-05-03T07:15:00.000Z' },
  };
  const [one, three] = [await pictureElement('png'), await pictureElement('png', { width: 90 })];
  const archive = zipOf({
    'site.ghost.2024-05-03.json': JSON.stringify({ db: [{ data: { posts: [post] } }] }),
    'content/images/1.png': one,
    'content/images/3.png': three,
  });
  const lost = (id: number) => `__GHOST_URL__/content/images/${id}.png`;
  expect(await importInto(app, await temporaryFile(archive, 'ghost.zip'))).toEqual({
    Card: `Links to content that was not imported: ${lost(2)}, ${lost(4)}`,
  });
  const page = await shown(app, 'card');
  expect(page).toContain('<img alt="1" src="/media/1.png" />');
  expect(page).toContain('<img alt="3" src="/media/3.png" />');
  expect(page).toContain('<figcaption>Three</figcaption>');

  const folder = await folderOf({
    'Embeds.md': '![[1.png|First]]\n![[2.png]]\n![[3.png|Third|75]]\n\n- ![[1.png]]\n- ![[gone.mp3]]\n',
    '1.png': one,
    '3.png': three,
  });
  expect((await importInto(app, folder)).Embeds).toBe(
    'Links to content that was not imported: 2.png, gone.mp3',
  );
  expect((await shown(app, 'embeds')).match(/alt="\w*" src="[^"]*"/g)).toEqual([
    'alt="First" src="/media/1.png"',
    'alt="Third" src="/media/3.png"',
    'alt="" src="/media/1.png"',
  ]);
});
