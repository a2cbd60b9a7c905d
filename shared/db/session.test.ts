import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { withPort } from '../../test/support/delivery-stage.ts';
import { startProxy } from '../../test/support/tcp-proxy.ts';
import { openPool, SessionClient } from './session.ts';

const connectionString = inject('databaseUrl');

test('settings apply to the first statement of a connection and to each later one', async () => {
  const settings = { timezone: 'Asia/Tokyo', statement_timeout: 1_234, application_name: "it's" };
  const pool = openPool({ connectionString, settings, max: 1 });
  const read = `select current_setting('timezone') as timezone, current_setting('statement_timeout') as statement_timeout,
    current_setting('application_name') as application_name`;
  const held = { timezone: 'Asia/Tokyo', statement_timeout: '1234ms', application_name: "it's" };
  for (let n = 0; n < 2; n++) expect((await pool.query(read)).rows).toEqual([held]);
  await pool.end();
});

test('a setting that PostgreSQL refuses fails the connection and closes it', async () => {
  const refused = { timezone: 'UTC', statement_timeout: 'soon' };
  const client = new SessionClient({ connectionString, settings: refused });
  const ended = new Promise((done) => client.on('end', () => done('ended')));
  await expect(client.connect()).rejects.toThrow('invalid value for parameter "statement_timeout"');
  expect(await ended).toBe('ended');
});

test('a pool does not reuse a connection whose session PostgreSQL ended', async () => {
  const pool = openPool({ connectionString, max: 1 });
  for (let n = 0; n < 5; n++) {
    const client = await pool.connect();
    const ended = client.query('select pg_terminate_backend(pg_backend_pid())');
    await expect(ended).rejects.toThrow('terminating connection');
    client.release();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  }
  await pool.end();
});

test('a connection that breaks before its settings apply is discarded, and the next one works', async () => {
  await using proxy = await startProxy({ port: Number(new URL(connectionString).port) });
  const pool = openPool({
    connectionString: withPort(connectionString, proxy.port),
    settings: { timezone: 'UTC' },
  });
  const held = proxy.holdAnswer(/set timezone/);
  const requested = pool.query('select 1');
  requested.catch(() => {});
  (await held).cut();
  await expect(requested).rejects.toThrow('Connection terminated unexpectedly');
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('every connection of the service is a SessionClient, except those that find the primary', async () => {
  const positions: string[] = [];
  for (const folder of ['server', 'worker', 'shared']) {
    for (const name of await readdir(folder, { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const text = await readFile(join(folder, name), 'utf8');
      if (/from 'pg'/.test(text) && /new pg\.(Client|Pool)\b|new (Client|Pool)\(/.test(text))
        positions.push(join(folder, name));
    }
  }
  expect(positions).toEqual(['shared/db/servers.ts', 'shared/db/session.ts']);
});
