import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { calls } from '../support/calls.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';

vi.setConfig({ testTimeout: 240_000 });

test.runIf(hasOldestDatabase)(
  'the oldest PostgreSQL that is supported is migrated from nothing, and every procedure does its work over it',
  async () => {
    await using oldest = await startOldestDatabase();
    await using site = await startSiteForEveryCall(undefined, { serverUrl: oldest.url });
    const { rows } = await sql`
      select current_setting('server_version_num')::integer / 10000 as version, current_setting('jit') as jit
    `.execute(site.app.deps.database.em.getKysely());
    expect(rows).toEqual([{ version: 15, jit: 'off' }]);
    await site.fill();
    for (const call of calls.filter(({ title }) => title.startsWith('RPC '))) await site.succeed(call);
  },
);
