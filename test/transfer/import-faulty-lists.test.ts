import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { listReceiver } from '../support/sent-lists.ts';
import { zipOf } from '../support/zips.ts';

// A row that is not valid CSV is refused alone, and all other rows are imported.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const others = { 'a@example.com': 'Ada', 'z@example.com': 'Zoe' };

const unpaired = 'a cell contains a quotation mark, but does not begin with one';
const open = 'a quotation mark opens a cell that is not closed';
const behind = 'text follows the quotation mark that ends a cell';
const long = 'it has more than 262144 characters';

test.for([
  ['a quotation mark inside a cell', 'x@example.com,12" fan', unpaired],
  ['one at the end of a cell', 'x@example.com,Fan"', unpaired],
  ['a quotation mark that is never closed', 'x@example.com,"Fan', open],
  ['one in its first cell', '"x@example.com,Fan', open],
  ['text behind a closing quotation mark', 'x@example.com,"Fan" of', behind],
  ['too many cells', 'x@example.com,Fan,of,cells', 'it has 4 cells, but the first line names 2 columns'],
  ['a NUL character', 'x@example.com,Fa\0n', 'it contains a NUL character'],
  ['a very long cell', `x@example.com,${'f'.repeat(300_000)}`, long],
  ['a very long quoted cell', `x@example.com,"${'f'.repeat(300_000)}"`, open],
])('a row with %s is reported by its line, and the others are imported', async ([, row, fault]) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const site = await listReceiver(app);
    const list = ['email,name', 'a@example.com,Ada', row, 'z@example.com,Zoe', ''].join(end);
    const { told, refused } = await site.import(list);
    expect(refused).toMatchObject([{ source_id: 'line 3', reason: `Not imported: line 3: ${fault}` }]);
    expect(told).toHaveLength(3);
    expect(await site.subscribers()).toEqual(others);
  }
});

test('an unclosed quotation mark loses none of the rows after it, however many there are', async () => {
  const site = await listReceiver(app);
  // More characters than a row may have follow the first unclosed quotation mark.
  const city = 'c'.repeat(250);
  const rows = Array.from({ length: 2_000 }, (_, at) => `r${at}@example.com,Reader ${at},${city}`);
  rows[100] = `r100@example.com,"Reader,${city}`;
  rows[1_500] = `r1500@example.com,"Reader, ""quoted""\nin two lines",${city}`;
  rows[1_900] = `"r1900@example.com,Reader,${city}`;
  const { last, refused } = await site.check(`email,name,city\n${rows.join('\n')}`);
  expect(refused.map(({ reason }) => reason)).toEqual([
    `Not imported: line 102: ${open}`,
    `Not imported: line 1903: ${open}`,
  ]);
  expect(last).toEqual({ counts: { created: 1_998, skipped: 0, refused: 2 } });
});

test('rows whose quotation marks close each other are read in linear time', async () => {
  const site = await listReceiver(app);
  // More characters than a row may have.
  const lines = Array.from({ length: 50_000 }, () => 'x","y');
  const { last } = await site.check(`email,name\n${lines.join('\n')}\nz@example.com,Zoe`);
  expect(last).toEqual({ counts: { created: 1, skipped: 0, refused: 50_000 } });
});

test('missing cells at the end of a row are empty', async () => {
  const site = await listReceiver(app);
  await site.import('email,name,city\na@example.com\nz@example.com,Zoe\n');
  expect(await site.subscribers()).toEqual({ 'a@example.com': '', 'z@example.com': 'Zoe' });
});

test('a row without an address is reported by its line', async () => {
  const site = await listReceiver(app);
  const { refused } = await site.import('email,name\n\na@example.com,Ada\n,Nameless\nz@example.com,Zoe\n');
  expect(refused).toMatchObject([{ source_id: 'line 4', title: 'Nameless' }]);
  expect(await site.subscribers()).toEqual(others);
});

const list = (separator: string) =>
  `email${separator}name\r\na@example.com${separator}Ada\r\nz@example.com${separator}Zoe\r\n`;

const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const wide = Array.from({ length: 400 }, (_, at) => `Field number ${at}`);

test.for<[name: string, file: string | Buffer]>([
  ['a first line `sep=;`', `sep=;\r\n${list(';')}`],
  ['a first line `sep=,` in quotation marks', `"sep=,"\r\n${list(',')}`],
  ['a first line `SEP=` with a tab, behind a byte-order mark', `\uFEFFSEP=\t\r\n${list('\t')}`],
  ['a first line `sep=|`', `sep=|\n${list('|')}`],
  ['UTF-16 little-endian with its mark', utf16le(`\uFEFF${list(';')}`)],
  ['UTF-16 big-endian with its mark', utf16be(`\uFEFF${list(',')}`)],
  ['UTF-16 little-endian without a mark', utf16le(list('\t'))],
  ['UTF-16 big-endian without a mark', utf16be(list(','))],
  ['UTF-16 and a first line `sep=;`', utf16le(`\uFEFFsep=;\r\n${list(';')}`)],
  [
    'a first line of more than 1,024 bytes',
    `${wide.join()},email,name\n${','.repeat(400)}a@example.com,Ada\n${','.repeat(400)}z@example.com,Zoe\n`,
  ],
  [
    'a first line of 200,000 bytes',
    `email,name,${'x'.repeat(200_000)}\na@example.com,Ada\nz@example.com,Zoe\n`,
  ],
  ['empty lines before its first one', `\r\n\r\n${list(',')}`],
  ['empty names of columns', 'email,,name,\na@example.com,,Ada,\nz@example.com,,Zoe,\n'],
  ['one name for two columns', 'email,name,name\na@example.com,Ada,A\nz@example.com,Zoe,Z\n'],
  ['a quotation mark in its first line', 'email,name,12" size\na@example.com,Ada,1\nz@example.com,Zoe,2\n'],
  [
    'an open quotation mark in its first line',
    'email,name,"size\na@example.com,Ada,1\nz@example.com,Zoe,2\n',
  ],
  [
    'blanks around cells in quotation marks',
    'email, name\n"a@example.com" , "Ada"\n"z@example.com", "Zoe" \n',
  ],
  ['lines that end with a carriage return', list(',').replaceAll('\r\n', '\r')],
  ['an address in German', 'E-Mail-Adresse;Vorname\na@example.com;Ada\nz@example.com;Zoe\n'],
  ['an address in Japanese', 'メールアドレス,name\na@example.com,Ada\nz@example.com,Zoe\n'],
])('a list with %s can be read', async ([, file]) => {
  const site = await listReceiver(app);
  expect((await site.import(file)).refused).toEqual([]);
  expect(await site.subscribers()).toEqual(others);
});

test('a line that is not UTF-8 does not change other lines', async () => {
  const site = await listReceiver(app);
  const odd = Buffer.from('x@example.com,Zoë\n', 'latin1');
  const file = Buffer.concat([
    Buffer.from('email,name,メール\na@example.com,Åsa 山\n'),
    odd,
    Buffer.from('z@example.com,Ünal\n'),
  ]);
  const { told } = await site.import(file);
  expect(told).toEqual([
    ['a@example.com', 'created', null],
    [
      'x@example.com',
      'created',
      'Check special characters: the text is not UTF-8 and was read as Windows-1252',
    ],
    ['z@example.com', 'created', null],
  ]);
  expect(await site.subscribers()).toEqual({
    ...{ 'a@example.com': 'Åsa 山', 'x@example.com': 'Zoë', 'z@example.com': 'Ünal' },
  });
});

test('a list whose first line exceeds the maximum length of a row is refused', async () => {
  const site = await listReceiver(app);
  const file = `email,${'x'.repeat(300_000)}\na@example.com,Ada\n`;
  expect((await site.import(file)).last).toMatchObject({ error: { code: 'validation_failed' } });
});

test('an invalid row in a list of Substack is refused alone', async () => {
  const site = await listReceiver(app);
  const file = zipOf({
    'posts.csv': 'post_id,is_published,audience,title\n1.a,true,everyone,12" fan\n2.b,true,everyone,Second\n',
    'posts/1.a.html': '<p>a</p>',
    'posts/2.b.html': '<p>b</p>',
    'email_list.a.csv': 'email,name\na@example.com,Ada\nx@example.com,12" fan\nz@example.com,Zoe\n',
  });
  const { refused } = await site.import(file);
  expect(refused.map(({ collection, reason }) => [collection, reason])).toEqual([
    ['posts', `Not imported: posts.csv, line 2: ${unpaired}`],
    ['members', `Not imported: line 3: ${unpaired}`],
  ]);
  expect(await site.subscribers()).toEqual(others);
});

test('addresses and names that begin like a formula are exported safely, and imported unchanged', async () => {
  const names = ['=1+1', "'=1", "''@x", '+49', '-1', '@SUM(A1)', '＝1+1', '＠x', "O'Neil", "'quoted'", '\tx'];
  const addresses = ['+x@example.com', "'-x@example.com", "'x@example.com"];
  const from = await listReceiver(app);
  for (const [at, name] of names.entries())
    await app.deps.database.em.fork().execute(
      `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
       values (?, ?, ?, ?, 'footer', 'active', 0, '2024-01-01')`,
      [from.siteId, `f${String(at).padStart(14, '0')}`, addresses[at] ?? `${at}@example.com`, name],
    );
  const { url } = await from.studio.subscribers.export.mutate();
  const csv = await (await fetch(app.baseUrl + url)).text();
  for (const cell of csv.split(/","|"\r\n"|"/)) expect(cell).not.toMatch(/^[=+\-@\t＝＠]/);
  const to = await listReceiver(app);
  await to.import(csv);
  expect(await to.subscribers()).toEqual(await from.subscribers());
  expect(Object.keys(await to.subscribers())).toEqual(expect.arrayContaining(addresses));
  const { told } = await to.check(`"email"\r\n"'=x+y@example.com"\r\n`);
  expect(told.map(([title]) => title)).toEqual(['=x+y@example.com']);
});
