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

/** Variables that Node.js, the C library and apt read. */
const ofOthers = new Set(['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'DEBIAN_FRONTEND']);

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

/** The operator guides and all files of `deploy`, as one text. */
async function readAll() {
  const folders = ['docs/operate', 'deploy'].map((folder) =>
    readdir(path.join(root, folder), { recursive: true, withFileTypes: true }),
  );
  const files = (await Promise.all(folders))
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts.join('\n');
}

test('every setting that an operator guide or a deploy file names exists, or is a variable of compose.yaml', async () => {
  const known = [ServerSettings, WorkerSettings, StartSettings, OpsSettings].map(describeSettings).join('\n');
  const text = await readAll();
  const named = text.matchAll(/(?<![\w$/.-])(?!PATRONI_|ETCD_)([A-Z]+(?:_[A-Z]+)+|PORT|HOST)(?==|`)/g);
  const unknown = [...named]
    .map(([, name = '']) => name)
    .filter((name) => !ofOthers.has(name) && !text.includes(`\${${name}:-`))
    .filter((name) => !new RegExp(`^ +${name}\\b`, 'm').test(known));
  expect([...new Set(unknown)]).toEqual([]);
});

test('every operator command that an operator guide or a deploy file names exists', async () => {
  const program = createProgram('');
  const named = (await readAll()).matchAll(/(?:pnpm ops|server\/ops\.ts) ([a-z-]+)(?![\w/-])/g);
  const commands = program.commands.map((command) => command.name());
  const unknown = [...named].map(([, name = '']) => name).filter((name) => !commands.includes(name));
  expect(unknown).toEqual([]);
});

test('every alert rule has an entry in the runbook', async () => {
  const runbook = await read('docs/operate/monitoring.md');
  const alerts = [...(await read('deploy/prometheus-rules.yml')).matchAll(/alert: (\w+)/g)];
  expect(alerts).not.toEqual([]);
  expect(alerts.map(([, name]) => name).filter((name) => !runbook.includes(`\n### ${name}\n`))).toEqual([]);
});

test('every metric in an alert rule is measured, and every measured metric is described', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics });
  createUncountedCounter(metrics);
  const ofWorker = new Registry();
  measureDeliveries(ofWorker, app.deps.database);
  const measured = [...metrics.getMetricsAsArray(), ...ofWorker.getMetricsAsArray()].map(({ name }) => name);
  const rules = (await read('deploy/prometheus-rules.yml')).matchAll(/expr: (.*)/g);
  const requested = [...rules].flatMap(([, rule = '']) => rule.match(/[a-z]+(_[a-z]+)+/g) ?? []);
  expect(requested.length).toBeGreaterThan(4);
  expect(requested.filter((name) => !measured.includes(name))).toEqual([]);
  const runbook = await read('docs/operate/monitoring.md');
  expect(measured.filter((name) => !runbook.includes(`\n| \`${name}\` `))).toEqual([]);
});
