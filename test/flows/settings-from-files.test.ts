import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startApp, testSecretKey } from '../support/app.ts';
import { runNode } from '../support/process.ts';
import { readReadiness } from '../support/readiness.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeDataDir, ready, startEverything } from '../support/start-command.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

/** Writes both secrets to files. Returns the settings with their paths, which replace those of the environment. */
async function secretFiles(databaseUrl: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'content-secrets-'));
  await writeFile(path.join(folder, 'database'), `${databaseUrl}\n`);
  await writeFile(path.join(folder, 'key'), `${testSecretKey}\n`);
  return {
    DATABASE_URL: '',
    SECRET_KEY: '',
    DATABASE_URL_FILE: path.join(folder, 'database'),
    SECRET_KEY_FILE: path.join(folder, 'key'),
  };
}

test('several server processes, the worker and commands read database and key from files, and log neither', async () => {
  await using app = await startApp();
  const files = await secretFiles(app.databaseUrl);

  await using server = await startServerProcess('', { ...files, WEB_CONCURRENCY: '2' });
  await using worker = await startWorkerProcess(files);
  const sites = await runNode(['server/ops.ts', 'sites', 'list'], files);

  expect(await readReadiness(server.baseUrl)).toMatchObject({ status: 200 });
  expect(sites).toMatchObject({ exitCode: 0 });
  const output = [server.output, ...worker.lines, sites.output].join('\n');
  expect(output).not.toContain(testSecretKey);
  expect(output).not.toContain(app.databaseUrl);
});

test('`pnpm start` passes database and key from files to its server processes and its worker', async () => {
  await using app = await startApp();
  const environment = { ...(await secretFiles(app.databaseUrl)), WEB_CONCURRENCY: '2' };

  await using all = await startEverything({ dataDir: await makeDataDir(), environment });

  await all.says(ready);
  await all.says(/worker is delivering/);
  expect(await readReadiness(all.baseUrl)).toMatchObject({ status: 200 });
});
