import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { base36, randomText } from '../../shared/contract/record-id.ts';
import { databaseAt } from './template-database.ts';

/**
 * Creates a database without tables, as an operator provides it for a first start. Dispose of it with `await using`.
 */
export const createEmptyDatabase = (serverUrl = inject('databaseUrl')) =>
  createDatabase(serverUrl, 'template1');

/** Creates a database with all tables and no rows, which starts without migrations. Dispose of it with `await using`. */
export const createMigratedDatabase = (serverUrl = inject('databaseUrl')) =>
  createDatabase(serverUrl, 'template_app');

async function createDatabase(serverUrl: string, template: string) {
  const name = `empty_${randomText(base36, 12, randomBytes)}`;
  await run(serverUrl, `create database ${name} template ${template} strategy file_copy`);
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
