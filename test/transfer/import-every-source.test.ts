import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp } from '../support/app.ts';
import { rowsOf, temporaryFile, temporaryFolder } from '../support/archives.ts';
import { sourceSamples } from '../support/source-samples.ts';
import { createVisitor } from '../support/visitor.ts';

interface Stored {
  title: string;
  slug: string;
  visibility: string;
  is_draft: boolean;
  access_tier: string;
  published_at: Date | null;
}

test.for(sourceSamples)(
  '$name: private content stays private, and every text, image, link, date, tag and tier is imported or reported',
  async ({ make, open, closed, there, told }) => {
    await using app = await startApp();
    const siteId = await app.seed.site({ subdomain: 'home' });
    const report: ImportedRecordReport[] = [];
    await importFile(app.deps, await make(), {
      siteId,
      actor: { kind: 'operator', id: 'ada', name: 'ada' },
      onRecord: (record) => report.push(record),
    });

    const posts = await rowsOf<Stored>(app, 'select * from posts');
    const pages = await rowsOf<Stored>(app, `select *, '' as access_tier, null as published_at from pages`);
    const titles = new Set(Object.values(report).map(({ title }) => title));
    const stored = [...posts, ...pages].filter(({ title }) => titles.has(title) || title === '(untitled)');
    const isOpen = ({ is_draft, visibility }: Stored) => !is_draft && visibility === 'public';
    const shown = stored.filter(isOpen).map(({ title, access_tier, published_at }) => [
      title,
      // A record without its own date has the date of its file, which the expected values cannot contain.
      [access_tier, open[title]?.[1] === null ? null : (published_at?.toISOString() ?? null)],
    ]);
    expect(Object.fromEntries(shown)).toEqual(open);
    expect(
      stored
        .filter((one) => !isOpen(one))
        .map(({ title }) => title)
        .sort(),
    ).toEqual([...closed].sort());

    const tables = ['media', 'members', 'subscribers', 'redirects'];
    const rest = await Promise.all(tables.map((table) => rowsOf(app, `select * from ${table}`)));
    const all = JSON.stringify([posts, pages, ...rest]);
    expect(there.filter((piece) => !all.includes(piece))).toEqual([]);
    const said = report
      .map(({ source_id, collection, reason }) => `${collection} ${source_id} ${reason}`)
      .join('\n');
    expect(told.filter((piece) => !said.includes(piece))).toEqual([]);

    const visit = createVisitor(app.baseUrl, 'home.localhost');
    const { text } = await visit('/posts');
    for (const { title } of stored.filter((one) => !isOpen(one))) expect(text).not.toContain(`>${title}<`);
  },
);

test.for(sourceSamples)(
  'with the mode `drafts` every post and page of $name is a draft without a schedule, and public posts keep their dates',
  async ({ make, open, closed }) => {
    await using app = await startApp();
    const siteId = await app.seed.site({ subdomain: 'home' });
    const report: ImportedRecordReport[] = [];
    await importFile(app.deps, await make(), {
      siteId,
      mode: 'drafts',
      actor: { kind: 'operator', id: 'ada', name: 'ada' },
      onRecord: (record) => report.push(record),
    });

    const fields = 'title, is_draft, publish_at';
    const posts = await rowsOf<Stored>(app, `select ${fields}, published_at from posts`);
    const pages = await rowsOf<Stored>(app, `select ${fields} from pages`);
    const titles = new Set(report.map(({ title }) => title));
    const stored = [...posts, ...pages].filter(({ title }) => titles.has(title) || title === '(untitled)');
    expect(stored.map(({ title }) => title).sort()).toEqual([...Object.keys(open), ...closed].sort());
    for (const each of stored) expect(each).toMatchObject({ is_draft: true, publish_at: null });
    for (const [title, [, date]] of Object.entries(open))
      if (date !== null)
        expect(posts.find((post) => post.title === title)?.published_at?.toISOString() ?? null).toBe(date);
    expect(report.filter(({ reason }) => reason?.includes('it will be published'))).toEqual([]);

    const visit = createVisitor(app.baseUrl, 'home.localhost');
    const { text } = await visit('/posts');
    for (const { title } of stored) expect(text).not.toContain(`>${title}<`);
  },
);

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

test('symbolic links in a Markdown folder are not followed, and rules in a body are not front matter', async () => {
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

test('a Ghost export without the hash of its database is recognized by the ids of its records', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const first = path.join(import.meta.dirname, '../samples/ghost.json');
  const later = (await readFile(first, 'utf8')).replace('"db_hash"', '"icon"');
  await importFile(app.deps, first, { siteId, actor });
  const { counts } = await importFile(app.deps, await temporaryFile(later, 'ghost.json'), { siteId, actor });
  expect(counts.created).toBe(0);
});
