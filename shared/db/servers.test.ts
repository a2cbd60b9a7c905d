import { expect, inject, test } from 'vitest';
import { withPort } from '../../test/support/delivery-stage.ts';
import { startProxy } from '../../test/support/tcp-proxy.ts';
import { databaseUrl } from '../runtime/settings/variables.ts';
import { checkDatabase } from './check-database.ts';
import { isLost } from './database-errors.ts';
import { serversOf } from './servers.ts';
import { openPool } from './session.ts';

const read = (text: string) => databaseUrl.safeParse(text).data;

test('several hosts are read as PostgreSQL reads them, each with its port or the default one', () => {
  expect(read('postgres://ada:se,c@db1:5433,db2,[::1]:5434/content?sslmode=require')).toBe(
    'postgres://ada:se,c@db1:5433/content?sslmode=require&others=db2%2C%5B%3A%3A1%5D%3A5434',
  );
  expect(read('postgres://ada@db1/content')).toBe('postgres://ada@db1/content');
  const again = read('postgres://ada@db1,db2/content') ?? '';
  expect(read(again)).toBe(again);
});

test.each([
  'postgres://ada@db1,/content',
  'postgres://ada@db1,db2:port/content',
  'postgres://ada@db1,db 2/content',
])('the database URL %s is refused', (text) => expect(databaseUrl.safeParse(text).success).toBe(false));

test('servers are checked only if the URL has several hosts or requires one that accepts writes', () => {
  expect(serversOf('postgres://ada@db1/content')).toBeNull();
  expect(serversOf('postgres://ada@db1/content?target_session_attrs=any')).toBeNull();
  expect(serversOf('postgres://ada@db1/content?target_session_attrs=read-write')).not.toBeNull();
  expect(serversOf(read('postgres://ada@db1,db2/content'))).not.toBeNull();
});

test('a process that reads answers late while it starts finds its database server', async () => {
  const { host } = new URL(inject('databaseUrl'));
  const url = `${inject('databaseUrl')}?others=${encodeURIComponent(host)}`;
  const checked = checkDatabase(url, { warn() {} });
  // For this time nothing is read, as if the process loaded its code on a busy machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await checked;
});

test('a slow statement continues while its server is reachable, and fails if no server is', async () => {
  await using proxy = await startProxy({ port: Number(new URL(inject('databaseUrl')).port) });
  const connectionString = `${withPort(inject('databaseUrl'), proxy.port)}?target_session_attrs=read-write`;
  const pool = openPool({ connectionString, max: 2 });
  const [holder, waiting] = [await pool.connect(), await pool.connect()];
  await holder.query('begin; select pg_advisory_xact_lock(3501)');
  const slow = waiting.query('select pg_advisory_xact_lock(3501)');
  for (let times = 0; times < 3; times++)
    await proxy.holdAnswer(/find-primary/).then((held) => held.release());
  await holder.query('commit');
  expect((await slow).rowCount).toBe(1);
  proxy.stall();
  const stuck = await waiting.query('select 1').catch((error: unknown) => error);
  expect([String(stuck), isLost(stuck)]).toEqual([
    'Error: Connection terminated: no database server accepts writes',
    true,
  ]);
  for (const client of [holder, waiting]) client.release(true);
  proxy.flow();
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});
