import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { getMailKey, suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { findSuppressed } from '../../shared/newsletter/suppressions.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { archiveFrom, archiveOf, filesOf, importBytes, rowsOf, temporaryFile } from '../support/archives.ts';
import { actor } from '../support/imported-states.ts';

// People who unsubscribed are never imported again, from any list and after any transfer of the site.

async function suppress(app: TestApp, siteId: string, email: string, reason = 'unsubscribed') {
  const hash = suppressionHash(await getMailKey(app.deps, siteId), email);
  await rowsOf(
    app,
    `insert into suppressions (site_id, email_hash, reason, created) values ('${siteId}', '${hash}', '${reason}', '2026-01-01')`,
  );
}

const emailsOf = async (app: TestApp) =>
  (await rowsOf<{ email: string }>(app, 'select email from subscribers order by email')).map(
    ({ email }) => email,
  );

const subscribe = (app: TestApp, siteId: string, status: string, email: string) =>
  rowsOf(
    app,
    `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
     values ('${siteId}', substr(md5('${email}'), 1, 15), '${email}', '', '', '${status}', 0, '2026-01-01')`,
  );

const ghost = {
  db: [
    {
      meta: { version: '5.0.0' },
      data: {
        posts: [],
        members: ['ada', 'bob'].map((name) => ({
          id: name,
          email: `${name}@example.com`,
          name,
          status: 'free',
          subscribed: true,
          created_at: '2024-01-01T00:00:00.000Z',
        })),
      },
    },
  ],
};

test.for([
  ['list.csv', 'email\nAda@Example.com\nbob@example.com\n'],
  ['ghost.json', JSON.stringify(ghost)],
] as const)(
  '%s imports no one who unsubscribed, and reports how many were skipped',
  async ([name, content]) => {
    await using app = await startApp();
    const siteId = await app.seed.ownSite();
    await suppress(app, siteId, 'ada@example.com');
    const told: ImportedRecordReport[] = [];
    const options = { siteId, actor, onRecord: (record: ImportedRecordReport) => void told.push(record) };
    const file = await temporaryFile(content, name);
    const dry = await importFile(app.deps, file, { ...options, dryRun: true });
    const done = await importFile(app.deps, file, options);
    expect(await emailsOf(app)).toEqual(['bob@example.com']);
    expect(done.counts).toEqual(dry.counts);
    expect(done.counts.skipped).toBe(1);
    const unavailable = told.filter(
      ({ collection, outcome }) => collection === 'subscribers' && outcome === 'skipped',
    );
    expect(unavailable.map(({ title, reason }) => [title.toLowerCase(), reason])).toEqual(
      Array(2).fill([
        'ada@example.com',
        'Not imported: the newsletter is not sent to this address (unsubscribed)',
      ]),
    );
  },
);

test('an archive contains suppressions, also of deleted subscribers, and the key that identifies them', async () => {
  await using here = await startApp();
  await using app = await startApp();
  const secrets = createSecretBox('the secret key of another installation', randomBytes);
  const there = { deps: { ...app.deps, secrets } };
  const siteId = await here.seed.ownSite();
  await subscribe(here, siteId, 'unsubscribed', 'ada@example.com');
  await suppress(here, siteId, 'ada@example.com');
  await suppress(here, siteId, 'gone@example.com', 'complained');
  const archive = await archiveOf(here, siteId);

  const { report } = await importBytes(there, archive);

  expect(report.filter(({ outcome }) => outcome !== 'created')).toEqual([]);
  const emails = ['ada@example.com', 'bob@example.com', 'gone@example.com'];
  expect(await findSuppressed(there.deps, siteId, emails)).toEqual(
    new Map([
      ['ada@example.com', 'unsubscribed'],
      ['gone@example.com', 'complained'],
    ]),
  );
  expect(await getMailKey(there.deps, siteId)).toBe(await getMailKey(here.deps, siteId));
  expect((await archiveOf(there, siteId)).equals(archive)).toBe(true);
});

test('a dry run of an archive stores neither its key nor its suppressions', async () => {
  await using here = await startApp();
  await using there = await startApp();
  const siteId = await here.seed.ownSite();
  await suppress(here, siteId, 'ada@example.com');
  const archive = await archiveOf(here, siteId);
  const { counts } = await importBytes(there, archive, { dryRun: true });
  expect(
    await rowsOf(there, 'select site_id from mail_keys union all select site_id from suppressions'),
  ).toEqual([]);
  expect((await importBytes(there, archive)).counts).toEqual(counts);
});

test('an archive imports no one who unsubscribed after it was created', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  await subscribe(app, siteId, 'active', 'ada@example.com');
  const archive = await archiveOf(app, siteId);
  await rowsOf(app, 'delete from subscribers');
  await suppress(app, siteId, 'ada@example.com');
  const { report } = await importBytes(app, archive, { siteId });
  expect(await emailsOf(app)).toEqual([]);
  expect(report).toContainEqual(
    expect.objectContaining({
      collection: 'subscribers',
      outcome: 'skipped',
      reason: 'Not imported: the newsletter is not sent to this address (unsubscribed)',
    }),
  );
});

test("suppressions under another site's key are refused with a reason, and the site's own key is unchanged", async () => {
  await using here = await startApp();
  await using there = await startApp();
  const from = await here.seed.ownSite();
  await suppress(here, from, 'ada@example.com');
  const into = await there.seed.ownSite();
  const own = await getMailKey(there.deps, into);
  const { report } = await importBytes(there, await archiveOf(here, from), { siteId: into });
  expect(report.filter(({ collection }) => collection === 'suppressions')).toMatchObject([
    { outcome: 'refused', reason: expect.stringContaining('mail key of another site') },
  ]);
  expect(await getMailKey(there.deps, into)).toBe(own);
});

test('a person who unsubscribed from one copy of a site gets no mail from another copy with a new key', async () => {
  await using here = await startApp();
  await using there = await startApp();
  const siteId = await here.seed.ownSite();
  for (const name of ['ada', 'bob']) await subscribe(here, siteId, 'active', `${name}@example.com`);
  await importBytes(there, await archiveOf(here, siteId));
  const own = await getMailKey(there.deps, siteId);
  await rowsOf(here, "update subscribers set status = 'unsubscribed' where email = 'ada@example.com'");
  for (const name of ['ada', 'gone']) await suppress(here, siteId, `${name}@example.com`);
  const archive = await archiveOf(here, siteId);

  const told = async (dryRun: boolean) =>
    (await importBytes(there, archive, { siteId, dryRun })).report
      .filter(({ collection }) => collection === 'suppressions')
      .map(({ outcome }) => outcome)
      .toSorted();
  for (const dryRun of [true, false]) expect(await told(dryRun)).toEqual(['created', 'refused']);
  expect(await told(false)).toEqual(['refused', 'skipped']);

  const emails = ['ada@example.com', 'bob@example.com', 'gone@example.com'];
  expect(await findSuppressed(there.deps, siteId, emails)).toEqual(
    new Map([['ada@example.com', 'unsubscribed']]),
  );
  expect(await getMailKey(there.deps, siteId)).toBe(own);
});

test('an archive from before mail keys can be imported', async () => {
  await using here = await startApp();
  await using there = await startApp();
  const files = await filesOf(await archiveOf(here, await here.seed.ownSite()));
  const { mail_key: _, ...manifest } = JSON.parse(files.get('manifest.json') ?? '');
  manifest.files = manifest.files.filter(({ name }: { name: string }) => name !== 'suppressions.jsonl');
  files.delete('suppressions.jsonl');
  files.set('manifest.json', JSON.stringify(manifest));
  const { report } = await importBytes(there, await archiveFrom(files));
  expect(report.map(({ outcome }) => outcome)).toEqual(['created']);
});
