import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { exportCsv } from '../../server/transfer/export-csv.ts';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportOptions } from '../../server/transfer/import-target.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { rowsOf, temporaryFile } from '../support/archives.ts';
import { actor } from '../support/imported-states.ts';

/** Imports a list into a site. Returns title, outcome and reason for each line. */
async function importList(
  app: TestApp,
  list: string | Buffer,
  { siteId, ...options }: ImportOptions & { siteId?: string } = {},
) {
  const told: [title: string, outcome: string, reason: string | null][] = [];
  await importFile(app.deps, await temporaryFile(list, 'list.csv'), {
    ...{ siteId: siteId ?? (await app.seed.ownSite()), actor },
    onRecord: ({ title, outcome, reason }: ImportedRecordReport) => told.push([title, outcome, reason]),
    ...options,
  });
  return told;
}

const noMail = (value: string, column: string) =>
  `Not imported: “${value}” in the column “${column}” means that this person gets no mail`;

const subscribersOf = (app: TestApp) =>
  rowsOf<{ email: string; name: string }>(
    app,
    'select email, name, source, status, created::text from subscribers order by email',
  );

test('a list of people is imported as subscribers with names and dates', async () => {
  await using app = await startApp();
  await importList(
    app,
    'Email Address,First Name,Last Name,OPTIN_TIME\r\nAda@Example.com,Ada,"King, Countess",2024-03-01 10:00:00\r\ngrace@example.com,,,\r\n',
  );
  expect(await subscribersOf(app)).toEqual([
    {
      ...{ email: 'ada@example.com', name: 'Ada King, Countess', source: 'import', status: 'active' },
      created: '2024-03-01 10:00:00+00',
    },
    expect.objectContaining({ email: 'grace@example.com', name: '' }),
  ]);
});

test.each([
  ['semicolons', Buffer.from('email;name\nada@example.com;"Ada; King"\n')],
  ['tabs', Buffer.from('name\temail\nAda; King\tada@example.com\n')],
  ['a mark of UTF-8', Buffer.from('\uFEFF"email","name"\r\n"ada@example.com","Ada; King"\r\n')],
  [
    'UTF-16',
    Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from('email,name\nada@example.com,Ada; King', 'utf16le'),
    ]),
  ],
  ['old ends of lines', Buffer.from('email,name\rada@example.com,Ada; King\r')],
])('a list with %s can be read', async (_, list) => {
  await using app = await startApp();
  expect(await importList(app, list)).toEqual([['ada@example.com', 'created', null]]);
  expect(await subscribersOf(app)).toMatchObject([{ email: 'ada@example.com', name: 'Ada; King' }]);
});

test.each([
  ['\r\n', '\n'],
  ['\n', '\r\n'],
  ['\n', '\r'],
])('a list with mixed line endings loses no row: %j, then %j', async (first, then) => {
  await using app = await startApp();
  const lines = ['ada@example.com,Ada', 'bob@example.com,"Bob, B"', 'cy@example.com,"Cy"', ''];
  await importList(app, `email,name${first}${lines.join(then)}`);
  expect((await subscribersOf(app)).map(({ email, name }) => [email, name])).toEqual([
    ['ada@example.com', 'Ada'],
    ['bob@example.com', 'Bob, B'],
    ['cy@example.com', 'Cy'],
  ]);
});

test('if two columns have the same name, the first is used', async () => {
  await using app = await startApp();
  await importList(app, 'email,name,Email\nada@example.com,Ada,\n');
  expect((await subscribersOf(app)).map(({ email }) => email)).toEqual(['ada@example.com']);
});

test('a date in the future is replaced by the current time, so that no newsletter is missed', async () => {
  await using app = await startApp();
  await importList(app, 'email,created\nada@example.com,2999-01-01\n');
  expect(await rowsOf(app, 'select email from subscribers where created <= now()')).toHaveLength(1);
});

test('a list that is not UTF-8 is read as windows-1252, with a note', async () => {
  await using app = await startApp();
  const told = await importList(app, Buffer.from('email,name\nada@example.com,Zoë\n', 'latin1'));
  expect(told).toEqual([
    [
      'ada@example.com',
      'created',
      'Check special characters: the text is not UTF-8 and was read as Windows-1252',
    ],
  ]);
  expect(await subscribersOf(app)).toMatchObject([{ name: 'Zoë' }]);
});

test('people who get no mail at the old system are not imported, whichever column states it', async () => {
  await using app = await startApp();
  const lists: [header: string, out: string, active: string, reason: string][] = [
    ['status', 'unsubscribed', 'subscribed', noMail('unsubscribed', 'status')],
    ['Status', 'pending', 'Active', noMail('pending', 'status')],
    ['unsub_time', '2024-01-01', '', noMail('2024-01-01', 'unsub time')],
    ['email_disabled', 'true', 'false', noMail('true', 'email disabled')],
    ['subscribed_to_emails', 'false', 'true', noMail('false', 'subscribed to emails')],
    ['deleted_at', '2024-01-01', '', noMail('2024-01-01', 'deleted at')],
    ['CLEAN_TIME', '2024-01-01 10:00:00', '', noMail('2024-01-01 10:00:00', 'clean time')],
  ];
  for (const [at, [header, out, active, reason]] of lists.entries()) {
    const list = `email,${header}\nout${at}@example.com,${out}\nin${at}@example.com,${active}\n`;
    expect(await importList(app, list)).toEqual([
      [`out${at}@example.com`, 'skipped', reason],
      [`in${at}@example.com`, 'created', null],
    ]);
  }
  const found = await subscribersOf(app);
  expect(found.map(({ email }) => email)).toEqual(lists.map((_, at) => `in${at}@example.com`));
});

test('a check reports invalid, repeated and known addresses and changes nothing; people who unsubscribed are not imported again', async () => {
  await using app = await startApp();
  const list = 'email\nada@example.com\nno address\nADA@example.com\n\n,\n';
  const first = [
    ['ada@example.com', 'created', null],
    ['no address', 'refused', expect.stringContaining('email')],
    ['ADA@example.com', 'skipped', 'Already imported'],
    ['', 'refused', expect.stringContaining('email')],
  ];
  expect((await importList(app, list, { dryRun: true })).toSorted()).toEqual(first.toSorted());
  expect(await subscribersOf(app)).toEqual([]);
  await importList(app, list);
  expect(await subscribersOf(app)).toHaveLength(1);
  await app.deps.database.em.fork().execute('delete from subscribers');
  expect((await importList(app, list)).filter(([, outcome]) => outcome === 'created')).toEqual([]);
});

test('a check reports a repeated address in a long list as the import does, at any distance', async () => {
  await using app = await startApp();
  const many = Array.from({ length: 1_500 }, (_, at) => `reader${at}@example.com`);
  const list = ['email', ...many, 'READER0@example.com', 'reader1499@example.com'].join('\n');

  const checked = await importList(app, list, { dryRun: true });

  expect(checked.filter(([, outcome]) => outcome !== 'created')).toEqual([
    ['READER0@example.com', 'skipped', 'Already imported'],
    ['reader1499@example.com', 'skipped', 'Already imported'],
  ]);
  expect((await importList(app, list)).toSorted()).toEqual(checked.toSorted());
});

test('lists that a site exports can be imported into another site', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const run = (statement: string) => app.deps.database.em.fork().execute(statement);
  await run(`
    insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created) values
      ('${siteId}', 'a00000000000000', 'a@example.com', '=1+1', 'footer', 'active', 0, '2024-01-01'),
      ('${siteId}', 'b00000000000000', 'b@example.com', 'Bo', 'footer', 'unsubscribed', 0, '2024-01-02')`);
  await run(`
    insert into members (site_id, id, email, name, status, access_tiers, created, updated) values
      ('${siteId}', 'c00000000000000', 'c@example.com', 'Cy', 'blocked', '{paid,members}', '2024-01-03', '2024-01-03')`);
  const csvOf = async (kind: 'subscribers' | 'members') => {
    const to = new PassThrough();
    const [bytes] = await Promise.all([buffer(to), exportCsv(app.deps, siteId, kind, to)]);
    return bytes;
  };
  const other = await app.seed.site({ subdomain: 'other' });
  await importList(app, await csvOf('subscribers'), { siteId: other });
  await importList(app, await csvOf('members'), { siteId: other });
  const of = (table: string, columns: string) =>
    rowsOf(app, `select ${columns}, created::text from ${table} where site_id = '${other}'`);
  expect(await of('subscribers', 'email, name, source, status')).toEqual([
    {
      ...{ email: 'a@example.com', name: '=1+1', source: 'footer', status: 'active' },
      created: '2024-01-01 00:00:00+00',
    },
  ]);
  expect(await of('members', 'email, name, status, access_tiers')).toEqual([
    {
      ...{ email: 'c@example.com', name: 'Cy', status: 'blocked', access_tiers: ['paid', 'members'] },
      created: '2024-01-03 00:00:00+00',
    },
  ]);
});

test('a text that is not a list of people is refused with the required format', async () => {
  await using app = await startApp();
  await expect(importList(app, 'name,age\nAda,36\n')).rejects.toThrow(
    /CSV whose first line names a column email/,
  );
});
