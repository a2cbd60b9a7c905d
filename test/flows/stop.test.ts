import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createMigratedDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { isRunning, type NodeProcess } from '../support/process.ts';
import { beginPost, keepConnection } from '../support/raw-http.ts';
import { makeDataDir, ready, startEverything } from '../support/start-command.ts';

const post = { title: 'Written at the last moment' };

test('Ctrl-C reaches the whole process group, and the database runs until the last request is finished', async () => {
  await using running = await startEverything({ dataDir: await makeDataDir() });
  await running.says(ready);

  const { idle, begun } = await occupy(running);
  running.signalGroup('SIGINT');
  await idle.closed;

  expect(await begun.finish()).toContain('HTTP/1.1 201 Created\r\n');
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
});

test('a second signal ends the process immediately, even during a request', async () => {
  await using database = await createMigratedDatabase();
  await using running = await startEverything({
    dataDir: await makeDataDir(),
    environment: { DATABASE_URL: database.url },
  });
  await running.says(ready);
  const { idle } = await occupy(running);
  running.signal('SIGTERM');
  await idle.closed;

  await eventually(() => {
    running.signal('SIGTERM');
    return running.hasEnded();
  });

  expect(await running.ended()).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('stopping immediately'),
  });
});

test('a worker that crashes ends everything, with its exit code and a message', async () => {
  await using database = await createMigratedDatabase();
  const dataDir = await makeDataDir();
  const workerMain = await writeProgram(dataDir, 'process.exit(7);');

  await using running = await startEverything({
    dataDir,
    workerMain,
    environment: { DATABASE_URL: database.url, DEMO: 'off' },
  });

  expect(await running.ended()).toEqual({
    exitCode: 7,
    output: expect.stringContaining('Worker ended unexpectedly with exit code 7.'),
  });
});

test('the worker is stopped with everything else, and awaited', async () => {
  await using database = await createMigratedDatabase();
  const dataDir = await makeDataDir();
  const workerMain = await writeProgram(
    dataDir,
    `process.on('SIGTERM', () => { console.log('worker ends'); process.exit(0); });
     console.log('worker has', typeof process.env.DATABASE_URL, process.env.SECRET_KEY.length);`,
  );
  await using running = await startEverything({
    dataDir,
    workerMain,
    environment: { DATABASE_URL: database.url, DEMO: 'off' },
  });
  await running.says(ready);
  await running.says(/worker has string 43\n/);

  running.signalGroup('SIGINT');

  expect(await running.ended()).toEqual({ exitCode: 0, output: expect.stringContaining('worker ends\n') });
});

test('the worker exits when its parent is killed', async () => {
  await using database = await createMigratedDatabase();
  const environment = { DATABASE_URL: database.url, DEMO: 'off' };
  await using running = await startEverything({ dataDir: await makeDataDir(), environment });
  const [, worker = ''] = await running.says(/"pid":(\d+),.*worker is delivering/);

  running.signal('SIGKILL');

  await eventually(() => !isRunning(Number(worker)));
});

/** Starts a request, and opens an idle connection. */
async function occupy(running: NodeProcess & { baseUrl: string }) {
  const [, key = ''] = await running.says(/API key {2}(svc_live_\S{38})\n/);
  return {
    idle: await keepConnection(running.baseUrl),
    begun: await beginPost(running.baseUrl, '/api/v1/posts', { key, body: post }),
  };
}

async function writeProgram(folder: string, program: string): Promise<string> {
  const file = path.join(folder, 'worker.mjs');
  await writeFile(file, `setInterval(() => {}, 60_000);\n${program}`);
  return file;
}
