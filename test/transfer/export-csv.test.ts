import { parse } from 'csv-parse/sync';
import { afterAll, expect, test } from 'vitest';
import { csvLine, textOfCell } from '../../shared/contract/features/csv.ts';
import { startApp } from '../support/app.ts';
import { acceptedEmails } from '../support/email-table.ts';
import { ownerClient } from '../support/rpc.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.site();
const other = await app.seed.site();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));

const timestamp = '2026-01-31T09:05:00.123Z';

/** Inserts rows with the clock's time as creation time. */
async function insert(table: 'subscribers' | 'members', rows: object[]) {
  for (const [at, row] of rows.entries()) {
    const known = {
      site_id: siteId,
      id: `${table.slice(0, 3)}${String(at).padStart(12, '0')}`,
      created: timestamp,
      ...(table === 'subscribers' && { status: 'active', soft_bounces: 0 }),
    };
    const values = Object.entries({ ...known, ...row });
    const names = values.map(([name]) => `"${name}"`).join(', ');
    await app.deps.database.em.execute(
      `insert into ${table} (${names}) values (${values.map(() => '?').join(', ')})`,
      values.map(([, value]) => value),
    );
  }
}

async function download(ticket: { url: string }) {
  const answer = await fetch(app.baseUrl + ticket.url);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: bytes.toString('utf8') };
}

test('the subscriber export contains all subscribers, and no cell is a spreadsheet formula', async () => {
  const names = [
    '=1+1',
    '+49',
    '-1',
    '@SUM(A1)',
    '\tx',
    'Grace "G" Lin',
    'two\r\nlines',
    'a, b; c',
    'Ünï 山',
  ];
  await insert(
    'subscribers',
    names.map((name, at) => ({ email: `s${at}@example.com`, name, source: 'footer' })),
  );
  await insert('subscribers', [{ site_id: other, email: 'theirs@example.com', name: '', source: '' }]);
  const { status, headers, text } = await download(await studio.subscribers.export.mutate());
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="subscribers-2026-01-31.csv"',
    'cache-control': 'no-store',
  });
  expect(text.startsWith('\uFEFF"email","name","status","source","created"\r\n')).toBe(true);
  expect(text.endsWith('\r\n')).toBe(true);
  const rows: string[][] = parse(text, { bom: true });
  const harmless = names.map((name) => (/^[=+\-@\t]/.test(name) ? `'${name}` : name));
  expect(rows.slice(1)).toEqual(
    harmless.map((name, at) => [`s${at}@example.com`, name, 'active', 'footer', timestamp]),
  );
});

test('the member export contains all members with their tiers, however many there are', async () => {
  const member = { name: 'Ada', status: 'active', updated: timestamp, last_seen_at: null };
  await insert('members', [
    { ...member, email: 'a@example.com', access_tiers: '{paid,members}' },
    { ...member, email: 'b@example.com', access_tiers: '{}', last_seen_at: timestamp },
  ]);
  await app.deps.database.em.execute(
    `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
     select '${siteId}', 'x' || lpad(n::text, 14, '0'), n || '@example.com', '', 'active', '{}', '${timestamp}', '${timestamp}'
     from generate_series(1, 2500) n`,
  );
  const { text } = await download(await studio.members.export.mutate());
  const rows: string[][] = parse(text, { bom: true });
  expect(rows.slice(0, 3)).toEqual([
    ['email', 'name', 'status', 'access_tiers', 'created', 'last_seen_at'],
    ['a@example.com', 'Ada', 'active', 'paid members', timestamp, ''],
    ['b@example.com', 'Ada', 'active', '', timestamp, timestamp],
  ]);
  expect(new Set(rows.map(([email]) => email)).size).toBe(1 + 2 + 2_500);
});

test('each export needs its own ticket, valid for one request, and is noted in the audit log with the person', async () => {
  const ticket = await studio.subscribers.export.mutate();
  expect((await download(ticket)).status).toBe(200);
  expect((await download(ticket)).status).toBe(404);
  const toMembers = await studio.members.export.mutate();
  expect((await app.post(toMembers.url, { body: '{}' })).status).toBe(404);
  app.clock.advance({ minutes: 1 });
  expect((await download(toMembers)).status).toBe(404);
  const { items } = await studio.audit.list.query({});
  const exported = items.filter(({ action }) => action.endsWith('.export')).map(({ action }) => action);
  expect(exported.toSorted()).toEqual([
    ...['studio.members.export', 'studio.members.export'],
    ...['studio.subscribers.export', 'studio.subscribers.export'],
  ]);
});

test('a text survives conversion to a cell and back, and no cell is a formula', () => {
  const texts = [
    ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1'],
    ...["'=1", "''=1", "'tis", "'", '', 'plain', 'a=1', ' =1', 'say "=1"'],
    ...acceptedEmails.map(([, stored]) => stored),
  ];
  const cells = texts.map((text) => csvLine([text]).slice(1, -3).replaceAll('""', '"'));
  for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
  expect(cells.map(textOfCell)).toEqual(texts);
});
