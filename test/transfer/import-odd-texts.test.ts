import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import { startApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { actor, draft, importInto, titled } from '../support/imported-states.ts';

test('empty front matter values are unset, and values of the wrong type are reported', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    'a.md': '---\ntitle:\nslug: ~\ntags:\n  - \n  - one\n  - {name: two}\n---\n# The heading\n',
    'b.md': '---\ntitle: {a: 1}\nslug: [x]\ntags: null\n---\n# Another heading\n',
    'c.md': '---\ntitle: 2024\nslug: 12\ntags: [1, true]\n---\n',
    'd.md': '---\ntitle: null\n---\nNo heading\n',
  });
  const siteId = await app.seed.ownSite();
  const reasons: (string | null)[] = [];
  await importFile(app.deps, folder, { siteId, actor, onRecord: ({ reason }) => void reasons.push(reason) });
  expect(await rowsOf(app, 'select title, slug, tags from posts order by title collate "C"')).toEqual([
    { title: '2024', slug: '12', tags: ['1', 'true'] },
    { title: 'Another heading', slug: 'another-heading', tags: [] },
    { title: 'The heading', slug: 'the-heading', tags: ['one'] },
    { title: 'd', slug: 'd', tags: [] },
  ]);
  expect(reasons).toEqual([
    'Some values of the field tags not imported: they are not text',
    'Field title not imported: it is not text. Field slug not imported: it is not text',
    null,
    null,
  ]);
});

test('one file with unreadable front matter does not prevent reading the others', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    'a.md': titled('Holds itself', 'robots: &a [*a]'),
    'b.md': titled('No text', 'draft: {toString: 1}'),
    '_posts/2024-01-02-c.md': titled('Named as all objects have it', 'permalink: constructor'),
    'd.md': titled('Plain'),
  });
  expect(await importInto(app, folder)).toEqual({
    a: draft('its front matter cannot be read: a value contains itself'),
    'No text': draft('its front matter sets draft to a list or object'),
    'Named as all objects have it': ['public', null],
    Plain: ['public', null],
  });
});

test('files that are not UTF-8 are read as windows-1252 with a note, and as UTF-16 if they have its byte order mark', async () => {
  await using app = await startApp();
  const old = (text: string) => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');
  const folder = await folderOf({
    'a.md': old('# Café à 3 €\n'),
    'b.md': Buffer.from('\ufeff# Größe\n', 'utf16le'),
    'c.md': Buffer.from('\ufeff# Größe 2\n', 'utf16le').swap16(),
    'd.md': Buffer.from('\ufeff# Größe 3\n'),
  });
  const note = 'Check special characters: the text is not UTF-8 and was read as Windows-1252';
  expect(await importInto(app, folder)).toMatchObject({
    'Café à 3 €': ['public', note],
    Größe: ['public', null],
    'Größe 2': ['public', null],
    'Größe 3': ['public', null],
  });

  const item = '<item><title>Crème</title><wp:post_id>1</wp:post_id><wp:status>publish</wp:status></item>';
  const xml = `<?xml version="1.0"?><rss><channel>${item}</channel></rss>`;
  expect(await importInto(app, await temporaryFile(old(xml), 'a.xml'))).toEqual({ Crème: ['public', note] });
  const wide = await temporaryFile(Buffer.from(`\ufeff${xml.replace('>1<', '>2<')}`, 'utf16le'), 'b.xml');
  expect(await importInto(app, wide)).toEqual({ Crème: ['public', null] });

  const json = '{"data": {"posts": [{"id": 1, "title": "Crème", "status": "published"}]}}';
  expect(await importInto(app, await temporaryFile(old(json), 'a.json'))).toEqual({
    Crème: ['public', note],
  });
  const wideJson = await temporaryFile(Buffer.from(`\ufeff${json.replace('1', '2')}`, 'utf16le'), 'b.json');
  expect(await importInto(app, wideJson)).toEqual({ Crème: ['public', null] });
});
