import { expect, test } from 'vitest';
import { databaseUrl } from '../settings/variables.ts';
import { serversOf } from './servers.ts';

const read = (text: string) => databaseUrl.safeParse(text).data;

test('several hosts are read as PostgreSQL reads them, each with its port or the usual one', () => {
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
])('%s is refused', (text) => expect(databaseUrl.safeParse(text).success).toBe(false));

test('only an address that asks for it is looked at before it is used', () => {
  expect(serversOf('postgres://ada@db1/content')).toBeNull();
  expect(serversOf('postgres://ada@db1/content?target_session_attrs=any')).toBeNull();
  expect(serversOf('postgres://ada@db1/content?target_session_attrs=read-write')).not.toBeNull();
  expect(serversOf(read('postgres://ada@db1,db2/content'))).not.toBeNull();
});
