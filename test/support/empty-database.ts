import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { base36, randomText } from '../../shared/contract/record-id.ts';
import { databaseAt } from './template-database.ts';

/**
 * Creates a database without tables, as an operator provides it for a first start. Dispose of it with `await using`.
 */
export async function createEmptyDatabase(serverUrl = inject('databaseUrl')) {
  const name = `empty_${randomText(base36, 12, randomBytes)}`;
  await run(serverUrl, `create database ${name}`);
  const url = databaseAt(serverUrl, name);
  return {
    url,
    query: (sql: string) => run(url, sql),
    [Symbol.asyncDispose]: async () => void (await run(serverUrl, `drop database ${name}`)),
  };
}

async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}
