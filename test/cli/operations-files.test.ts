import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createUncountedCounter } from '../../server/api/limits/count-refusals.ts';
import { createProgram } from '../../server/cli/index.ts';
import { OpsSettings, ServerSettings, StartSettings } from '../../server/start/settings.ts';
import { describeSettings } from '../../shared/runtime/settings/read-settings.ts';
import { measureDeliveries } from '../../worker/metrics.ts';
import { WorkerSettings } from '../../worker/settings.ts';
import { startApp } from '../support/app.ts';

/** Variables that Node.js and the C library read. */
const ofRuntime = new Set(['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX']);

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

/** The operations guide and all files of `deploy`, as one text. */
async function readAll() {
  const deploy = await readdir(path.join(root, 'deploy'), { recursive: true, withFileTypes: true });
  const files = deploy
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [await read('docs/operations.md'), ...texts].join('\n');
}

test('every setting that the operations guide or a deploy file names exists', async () => {
  const known = [ServerSettings, WorkerSettings, StartSettings, OpsSettings].map(describeSettings).join('\n');
  const named = (await readAll()).matchAll(
    /(?<![\w$/.-])(?!PATRONI_|ETCD_)([A-Z]+(?:_[A-Z]+)+|PORT|HOST)(?==|`)/g,
  );
  const unknown = [...named]
    .map(([, name = '']) => name)
    .filter((name) => !ofRuntime.has(name))
    .filter((name) => !new RegExp(`^ +${name}\\b`, 'm').test(known));
  expect([...new Set(unknown)]).toEqual([]);
});

test('every operator command that the operations guide or a deploy file names exists', async () => {
  const program = createProgram('');
  const named = (await readAll()).matchAll(/(?:pnpm ops|server\/ops\.ts) ([a-z-]+)(?![\w/-])/g);
  const commands = program.commands.map((command) => command.name());
  const unknown = [...named].map(([, name = '']) => name).filter((name) => !commands.includes(name));
  expect(unknown).toEqual([]);
});

test('every file that the operations guide links to exists', async () => {
  const links = (await read('docs/operations.md')).matchAll(/\]\(([^)#]+)\)/g);
  const missing = [...links]
    .map(([, link = '']) => link)
    .filter((link) => !existsSync(path.join(root, 'docs', link)));
  expect(missing).toEqual([]);
});

test('every metric in an alert rule is measured', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics });
  createUncountedCounter(metrics);
  const ofWorker = new Registry();
  measureDeliveries(ofWorker, app.deps.database);
  const measured = [...metrics.getMetricsAsArray(), ...ofWorker.getMetricsAsArray()].map(({ name }) => name);
  const rules = (await read('deploy/prometheus-rules.yml')).matchAll(/expr: (.*)/g);
  const asked = [...rules].flatMap(([, rule = '']) => rule.match(/[a-z]+(_[a-z]+)+/g) ?? []);
  expect(asked.length).toBeGreaterThan(4);
  expect(asked.filter((name) => !measured.includes(name))).toEqual([]);
});
