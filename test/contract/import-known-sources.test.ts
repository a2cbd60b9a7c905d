import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importFile } from '../../server/features/import-export/import-file.ts';
import { startApp } from '../support/app.ts';
import { temporaryFile, temporaryFolder } from '../support/archives.ts';

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

test('a link in a folder of Markdown is not followed, and lines in a body are no front matter', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const folder = await temporaryFolder();
  const ruled = 'First part\n\n---\n\ntitle: Taken\n\n---\n\nLast part';
  await writeFile(path.join(folder, 'ruled.md'), ruled);
  await symlink(await temporaryFile('a secret of this machine', 'secret.md'), path.join(folder, 'linked.md'));
  const { counts } = await importFile(app.deps, folder, { siteId, actor });
  expect(counts).toEqual({ created: 1, skipped: 0, refused: 0 });
  expect(await app.deps.database.em.execute('select content from posts')).toEqual([{ content: ruled }]);
});

test('a Ghost site is known by its ids once its exports say no more what its database calls itself', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const first = path.join(import.meta.dirname, '../samples/ghost.json');
  const later = (await readFile(first, 'utf8')).replace('"db_hash"', '"icon"');
  await importFile(app.deps, first, { siteId, actor });
  const { counts } = await importFile(app.deps, await temporaryFile(later, 'ghost.json'), { siteId, actor });
  expect(counts.created).toBe(0);
});
