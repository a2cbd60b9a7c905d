import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { runNode } from '../support/process.ts';

test('`ops keys list` shows keys with every scope and the longest names in lines of at most 100 characters', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  for (let n = 1; n <= 5; n++) {
    const body = { name: `${n} `.padEnd(100, 'long '), scopes: scopeNames, expiry: '2027-01-31 00:00:00Z' };
    const made = await app.post('/api/admin/api-keys', { key: token, body });
    expect(made.status).toBe(201);
    await app.get('/api/v1/posts', { key: (made.body as { key: string }).key });
  }

  const { exitCode, output } = await runNode(['server/ops.ts', 'keys', 'list'], {
    DATABASE_URL: app.databaseUrl,
  });

  expect(exitCode).toBe(0);
  const lines = output.trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(lines[1]).toContain(`${scopeNames[0]} +${scopeNames.length - 1}`);
});
