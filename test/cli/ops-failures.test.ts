import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { makeFolder, runOps } from '../support/backups.ts';
import { runNode } from '../support/process.ts';

const failures: [string[], string][] = [
  [['restore', '/no/such/backup.tar'], '/no/such/backup.tar: no such file or folder.'],
  [['import', '/no/such/archive.tar.gz'], '/no/such/archive.tar.gz: no such file or folder.'],
  [['restore', '/etc/passwd/backup.tar'], '/etc/passwd/backup.tar: part of the path is not a folder.'],
  [['people', 'create', 'nobody'], 'email: must be an email address'],
  [
    ['people', 'create', 'a@example.com', '--role', 'king'],
    'role: "king" is not one of owner, editor, author, support',
  ],
  [['sites', 'create', '--name', ''], 'name: must not be empty'],
  [['keys', 'create', '--name', '', '--scopes', 'read'], 'name: must not be empty'],
];

test.for(failures)(
  '`ops %j` fails with exit code 1 and a message that names the problem, without a stack',
  async ([words, output]) => {
    await using app = await startApp();
    await app.seed.key();
    const failed = await runNode(['server/ops.ts', ...words], { DATABASE_URL: app.databaseUrl });
    expect(failed).toEqual({ exitCode: 1, output: `${output}\n` });
  },
);

test('`ops` without DATABASE_URL and without a local database fails and creates none, except for a restore', async () => {
  await using folder = await makeFolder();
  for (const command of [['sites', 'list'], ['migrate'], ['backup', folder.at('backup.tar')]])
    expect(await runOps(command, { dataDir: folder.at() })).toEqual({
      exitCode: 1,
      output: expect.stringMatching(/^No database found in .*: set DATABASE_URL/),
    });
  expect(await readdir(folder.at())).toEqual([]);
});
