import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { runNode } from '../support/process.ts';

const root = path.join(import.meta.dirname, '../..');

test('with OPS_COMMAND, help and messages name the operator command that works in a container', async () => {
  await using app = await startApp();
  const environment = { DATABASE_URL: app.databaseUrl, OPS_COMMAND: 'node server/ops.ts' };
  const ops = (...args: string[]) => runNode(['server/ops.ts', ...args], environment);
  expect((await ops('--help')).output).toMatch(/^Usage: node server\/ops\.ts \[options\]/);
  const { output } = await ops('sites', 'create', '--name', 'Harbour');
  expect(output).toMatch(
    /^Created site (\w+)\. Invite its owner: node server\/ops\.ts people create EMAIL --site \1$/m,
  );
});

test('only one file of the service contains the operator command of a checkout', async () => {
  const found = await Promise.all(
    ['server', 'shared', 'worker'].map(async (folder) => {
      const entries = await readdir(path.join(root, folder), { recursive: true });
      const files = entries.filter((file) => file.endsWith('.ts')).map((file) => path.join(folder, file));
      const texts = await Promise.all(files.map((file) => readFile(path.join(root, file), 'utf8')));
      return files.filter((_, at) => texts[at]?.includes('npx -y pnpm ops'));
    }),
  );
  expect(found.flat()).toEqual(['shared/runtime/ops-command.ts']);
});
