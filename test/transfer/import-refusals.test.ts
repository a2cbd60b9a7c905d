import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { archiveFrom, archiveOf, filesOf, importBytes, replaceFile, rowsOf } from '../support/archives.ts';
import { startDemoSite } from '../support/demo-site.ts';
import { formOf } from '../support/images.ts';

// Archives and records that an import refuses or renames, and data that it does not change.

type Files = Map<string, string>;

// The example site, and an archive of it. Tests that need an archive with other addresses change the site first.
const here = await startDemoSite();
const archive = await archiveOf(here, here.siteId);
afterAll(() => here[Symbol.asyncDispose]());

test.for([
  ['a byte that was changed', (files: Files): void => change(files, 'posts.jsonl', 'a', 'b')],
  ['a file that is missing', (files: Files): void => void files.delete('lessons.jsonl')],
  ['a file that nobody knows', (files: Files): void => void files.set('more.jsonl', '{}\n')],
  ['no manifest', (files: Files): void => void files.delete('manifest.json')],
] as const)('an archive with %s is refused before anything changes', async ([, damage]) => {
  await using there = await startApp();
  const files = await filesOf(archive);
  damage(files);

  await expect(importBytes(there, await archiveFrom(files))).rejects.toThrow(
    /damaged or not from this service/,
  );

  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
});

test('an archive whose manifest lists more or fewer records than it has is refused before anything changes', async () => {
  await using there = await startApp();
  for (const difference of [-1, 1]) {
    const files = await filesOf(archive);
    const lines = (files.get('posts.jsonl') ?? '').split('\n').length - 1;
    replaceFile(files, 'posts.jsonl', files.get('posts.jsonl') ?? '', { records: lines + difference });

    await expect(importBytes(there, await archiveFrom(files))).rejects.toThrow(
      `damaged or not from this service: posts.jsonl has ${lines} records, but the manifest lists ${lines + difference}`,
    );
  }
  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
});

test('a truncated archive, and a file that is not an archive, are refused before anything changes', async () => {
  await using there = await startApp();

  for (const file of [archive.subarray(0, archive.length / 2), Buffer.from('no archive'), Buffer.alloc(0)])
    await expect(importBytes(there, file)).rejects.toThrow(/damaged or not from this service/);

  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
});

test('a manifest that would exhaust memory is refused unread, however small its compressed size', async () => {
  await using there = await startApp();
  const packed = await archiveFrom(new Map([['manifest.json', ' '.repeat(17 * 1024 * 1024)]]));
  expect(packed.length).toBeLessThan(100_000);
  await expect(importBytes(there, packed)).rejects.toThrow('manifest.json is larger than 16 MiB');
});

test("an archive whose unpacked size exceeds the importer's maximum is refused before anything changes", async () => {
  await using there = await startApp();
  const maxBytes = gunzipSync(archive).length - 1;
  await expect(importBytes(there, archive, { maxBytes })).rejects.toThrow(
    'its unpacked size exceeds the maximum',
  );
  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
});

test('a record that breaks a rule is refused by name, and the others are imported', async () => {
  await using there = await startApp();
  const files = await filesOf(archive);
  const [first = '', ...others] = (files.get('projects.jsonl') ?? '').trimEnd().split('\n');
  const bad = { ...JSON.parse(first), url: 'javascript:alert(1)', owner: 'me' };
  replaceFile(files, 'projects.jsonl', `${[JSON.stringify(bad), ...others].join('\n')}\n`);

  const { report } = await importBytes(there, await archiveFrom(files));

  const refused = report.filter(({ outcome }) => outcome === 'refused');
  expect(refused).toEqual([
    {
      collection: 'projects',
      source_id: bad.id,
      id: null,
      title: bad.title,
      outcome: 'refused',
      reason: 'Not imported: url: must be an absolute http or https URL; has unknown fields: owner',
    },
  ]);
  expect(await rowsOf(there, 'select id from projects')).toHaveLength(others.length);
});

test('data of another site stays unchanged: taken addresses are left empty, and none of its rows change', async () => {
  await using there = await startApp();
  const full = await archiveAt({ subdomain: 'ada', custom_domain: 'ada.example.com' });
  const other = await there.seed.site({ subdomain: 'ada' });
  const before = await archiveOf(there, other);

  const { report } = await importBytes(there, full);

  expect(report[0]).toMatchObject({
    collection: 'site',
    outcome: 'created',
    reason: 'Field subdomain not imported: another site has ada',
  });
  expect(
    await rowsOf(there, `select subdomain, custom_domain from sites where id = '${here.siteId}'`),
  ).toEqual([{ subdomain: null, custom_domain: 'ada.example.com' }]);
  expect((await archiveOf(there, other)).equals(before)).toBe(true);
});

test("a domain that is the service's host, or below it, is left empty", async () => {
  await using there = await startApp();
  const deps = { ...there.deps, publicUrl: new URL('https://example.com') };

  const { report } = await importBytes({ deps }, await archiveAt({ custom_domain: 'ada.example.com' }));

  const reason = 'Field custom_domain not imported: ada.example.com belongs to this service';
  expect(report[0]).toMatchObject({ collection: 'site', outcome: 'created', reason });
  expect(await rowsOf(there, 'select custom_domain from sites')).toEqual([{ custom_domain: null }]);
});

test('a reserved subdomain is left empty', async () => {
  await using there = await startApp();

  const { report } = await importBytes(there, await archiveAt({ subdomain: 'login' }));

  const reason = 'Field subdomain not imported: login is reserved';
  expect(report[0]).toMatchObject({ collection: 'site', outcome: 'created', reason });
  expect(await rowsOf(there, 'select subdomain from sites')).toEqual([{ subdomain: null }]);
});

test("media that exceed the plan's file size or storage are refused before anything changes", async () => {
  await using from = await startApp();
  const siteId = await from.seed.ownSite();
  const key = await from.seed.key({ scopes: ['write:media'] });
  const document = Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(10_000_001)]);
  await from.post('/api/v2/media', { key, ...formOf(document, { name: 'large.pdf' }) });
  const large = await archiveOf(from, siteId);
  await using there = await startApp();
  const ownId = await there.seed.site({ plan: 'creator' });
  const importing = () => importBytes(there, large, { siteId: ownId, withinPlan: true });

  await expect(importing()).rejects.toThrow(/takes files of up to 10 MB/);
  await there.deps.database.em.execute("update sites set plan = 'pro'");
  await there.deps.database.em.execute(
    `insert into media (site_id, id, name, type, size, sha256, alt, caption, widths, created)
     values ('${ownId}', 'media0000000000', 'most.mp4', 'video/mp4', 49995000000, 'x', '', '', '{}', now())`,
  );
  await expect(importing()).rejects.toThrow(/10\.0 MB of media more than the site, .* room for 5\.0 MB/);
  expect(await rowsOf(there, 'select id from media')).toEqual([{ id: 'media0000000000' }]);
  await there.deps.database.em.execute('delete from media');
  expect((await importing()).counts).toMatchObject({ refused: 0 });
});

test('a record whose slug is taken gets the next number, and the report states it', async () => {
  await using there = await startApp();
  const siteId = await there.seed.ownSite();
  const key = await there.seed.key();
  await there.post('/api/v1/posts', { key, body: { title: 'Mine', slug: 'type-safe-apis' } });

  const { report } = await importBytes(there, archive, { siteId });

  const [renamed] = report.filter(({ outcome, reason }) => outcome === 'created' && reason);
  expect(renamed?.reason).toBe('Slug changed to type-safe-apis-2: type-safe-apis is taken');
  expect(await there.get('/api/v1/posts/type-safe-apis-2', { key })).toMatchObject({ status: 200 });
});

function change(files: Map<string, string>, name: string, from: string, to: string) {
  files.set(name, (files.get(name) ?? '').replace(from, to));
}

/** Changes the addresses of the example site, and returns an archive of it. */
async function archiveAt({
  subdomain = null,
  custom_domain = null,
}: {
  subdomain?: string | null;
  custom_domain?: string | null;
}): Promise<Buffer> {
  await here.deps.database.em.execute('update sites set subdomain = ?, custom_domain = ?', [
    subdomain,
    custom_domain,
  ]);
  return archiveOf(here, here.siteId);
}
