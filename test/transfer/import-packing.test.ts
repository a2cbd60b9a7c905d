import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folderOf, temporaryFile } from '../support/archives.ts';
import { zipOf } from '../support/zips.ts';

type Files = Readonly<Record<string, string>>;

const within = (top: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${top}${name}`, text]));

async function tarOf(files: Files): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  return buffer(tar);
}

/** Forms in which one folder can be imported. */
const ways: Readonly<Record<string, (files: Files) => Promise<string>>> = {
  'a folder': folderOf,
  'a zip of what is in it': (files) => temporaryFile(zipOf(files), 'site.zip'),
  'a zip of it': (files) => temporaryFile(zipOf(within('site/', files)), 'site.zip'),
  'a zip of it by another name': (files) => temporaryFile(zipOf(within('site-2/', files)), 'site.zip'),
  'a tar with the folders around it': async (files) =>
    temporaryFile(await tarOf(within('home/ada/', files)), 'site.tar'),
};

/** Advances the clock by a minute and imports a file. Returns the number of created records. */
async function importInto(app: TestApp, siteId: string, file: string): Promise<number> {
  app.clock.advance({ minutes: 1 });
  const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;
  return (await importFile(app.deps, file, { siteId, actor })).counts.created;
}

const spread = { 'about.md': '# About', 'posts/one/index.md': '# One', 'posts/two/index.md': '# Two' };
const below = { 'content/a.md': '# A', 'content/b/c.md': '# C' };

test.for(Object.keys(ways))(
  'a Markdown folder that was imported as %s is recognized in every form, and only added files are imported',
  async (way) => {
    await using app = await startApp();
    for (const files of [spread, below]) {
      const siteId = await app.seed.site();
      expect(await importInto(app, siteId, (await ways[way]?.(files)) ?? '')).toBe(Object.keys(files).length);
      for (const as of Object.values(ways)) expect(await importInto(app, siteId, await as(files))).toBe(0);
      let grown: Files = files;
      for (const [added, as] of Object.values(ways).entries()) {
        grown = { ...grown, [`posts/${added}.md`]: `# ${added}`, 'index.md': '# Home' };
        expect(await importInto(app, siteId, await as(grown))).toBe(added === 0 ? 2 : 1);
      }
    }
  },
);

test('a Markdown file is not mistaken for an imported file of the same name in another folder', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site();
  const diary = { 'diary/index.md': '# Diary', 'notes/index.md': '# Notes' };
  expect(await importInto(app, siteId, await folderOf(diary))).toBe(2);
  expect(await importInto(app, siteId, await folderOf({ 'index.md': '# Home' }))).toBe(1);
});

test('texts of a tar file with an absolute path are imported, and recognized when it is imported again', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site();
  const files = { '/one.md': '# One', 'two.md': '# Two' };
  const file = await temporaryFile(await tarOf(files), 'site.tar');
  expect([await importInto(app, siteId, file), await importInto(app, siteId, file)]).toEqual([2, 0]);
});
