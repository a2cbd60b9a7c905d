import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { startServerProcess } from '../support/server-process.ts';

test('a server whose clock is far behind writes nothing that is already expired, and accepts sessions of other servers', async () => {
  await using app = await startApp();
  app.clock.catchUp();
  const token = await app.seed.ownerToken();
  await using server = await startServerProcess(app.databaseUrl, {
    NODE_OPTIONS: `--import ${new URL('../support/clock-behind.ts', import.meta.url)}`,
  });
  expect(server.output).toContain(
    "clock skew between this machine and the database; the database's clock is used",
  );
  const { studio, admin } = ownerClient(server.baseUrl, token);
  const { id, created } = await studio.posts.create.mutate({ title: 'Deleted' });
  await studio.posts.delete.mutate({ id });
  await admin.apiKeys.create.mutate({ name: 'A key', scopes: ['read'] });
  expect(Math.abs((created?.getTime() ?? 0) - Date.now())).toBeLessThan(600_000);
  const rows = await app.deps.database.em.execute(`
    select 'trash' as name from trash where deleted > now() - interval '10 minutes'
    union all select 'audit' from audit_log where created > now() - interval '10 minutes'`);
  expect(rows).toEqual([{ name: 'trash' }, { name: 'audit' }]);
});
