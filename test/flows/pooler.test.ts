import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../../shared/db/migrate.ts';
import { makeFolder, readRows, runOps } from '../support/backups.ts';
import { startStage, withPort } from '../support/delivery-stage.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/http.ts';
import { startServerProcess } from '../support/server-process.ts';
import { listen } from '../support/tls-receiver.ts';

test('server, worker and followers work through a pooler that ignores connection settings', async () => {
  await using stage = await startStage();
  await using pooler = await startPooler({ port: Number(new URL(stage.app.databaseUrl).port) });
  const url = withPort(stage.app.databaseUrl, pooler.port);
  await expect(
    new pg.Client({ connectionString: url, options: '-c timezone=UTC' }).connect(),
  ).rejects.toThrow('unsupported startup parameter: options');
  const receiver = await stage.startReceiver();
  await stage.subscribe(receiver.url);
  const key = await stage.app.seed.key();
  await using server = await startServerProcess(url);
  await using _worker = await stage.startWorker({ DATABASE_URL: url });
  const call = createCaller(server.baseUrl);
  const written = await call('POST', '/api/v1/posts', { key, body: { title: 'Through it' } });
  expect(written).toMatchObject({ status: 201 });
  expect(await call('GET', '/api/v1/posts/through-it', { key })).toMatchObject({ status: 200 });
  await eventually(() => receiver.arrivals.length === 1);
  // A process has connections for its pool, for rate limits, and for the job queue.
  expect(pooler.admitted()).toBeGreaterThan(3);
});

test('migrations, backups and restores work through a pooler', async () => {
  await using folder = await makeFolder();
  await using from = await createEmptyDatabase();
  await using to = await createEmptyDatabase();
  await using pooler = await startPooler({ port: Number(new URL(from.url).port) });
  const through = (name: string, url: string) => ({
    dataDir: folder.at(name),
    databaseUrl: withPort(url, pooler.port),
  });
  const source = through('source', from.url);
  await migrate(source.databaseUrl);
  const commands = [
    [['sites', 'create', '--name', 'Pooled'], source],
    [['backup', folder.at('all.tar')], source],
    [['restore', folder.at('all.tar')], through('target', to.url)],
  ] as const;
  for (const [command, installation] of commands)
    expect(await runOps(command, installation)).toMatchObject({ exitCode: 0 });
  expect(await readRows(to.url)).toEqual(await readRows(from.url));
});

/** Parameters that PgBouncer accepts when a connection begins, according to its documentation. */
const taken = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
]);

/** Starts a proxy that accepts and refuses connections like PgBouncer in session mode. It does not pool. */
async function startPooler(target: { port: number }) {
  const sockets = new Set<Socket>();
  let admitted = 0;
  const server = createServer(async (client) => {
    sockets.add(client.on('error', () => {}));
    const [head]: [Buffer] = await once(client, 'data').then(([chunk]) => [chunk]);
    const refused = startupParameters(head).find((name) => !taken.has(name.toLowerCase()));
    if (refused !== undefined) return void client.end(refusal(`unsupported startup parameter: ${refused}`));
    admitted += 1;
    const upstream = connect(target.port, '127.0.0.1').on('error', () => {});
    sockets.add(upstream);
    upstream.write(head);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  return {
    port: await listen(server, '127.0.0.1'),
    /** Returns the number of accepted connections. */
    admitted: () => admitted,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/**
 * Returns the parameter names in the first message of a connection. It consists of its length and version, then names
 * and values, each ended by a zero.
 */
const startupParameters = (message: Buffer) =>
  message
    .subarray(8, message.readInt32BE(0))
    .toString()
    .split('\0')
    .filter((word, index) => index % 2 === 0 && word !== '');

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const length = Buffer.alloc(5, 'E');
  length.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([length, fields]);
}
