import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { calls } from '../support/calls.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { addManySites } from '../support/many-sites.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';
import { explainAll, judgePlans, setStatistics } from '../support/statements/judge-plans.ts';
import { recordStatements } from '../support/statements/record.ts';
import { gatherNoStatistics } from '../support/statistics.ts';

test.runIf(hasOldestDatabase)(
  'the oldest supported PostgreSQL is migrated from scratch and runs every procedure, by indexes even beside 2,000 sites without statistics',
  async () => {
    await using oldest = await startOldestDatabase();
    await using site = await startSiteForEveryCall(undefined, { serverUrl: oldest.url });
    const { app } = site;
    const { rows } = await sql`
      select current_setting('server_version_num')::integer / 10000 as version, current_setting('jit') as jit
    `.execute(app.deps.database.em.getKysely());
    expect(rows).toEqual([{ version: 15, jit: 'off' }]);
    await site.fill();
    await gatherNoStatistics(app.deps.database);
    await addManySites(app.databaseUrl, site.siteId, 20_000);
    const values = new Map<string, unknown>();
    using recorded = recordStatements((text, given) => values.set(text, given));
    using judged = await judgePlans(app.databaseUrl, recorded.occasion);
    for (const call of calls.filter(({ title }) => title.startsWith('RPC '))) {
      recorded.during(call.title);
      await site.succeed(call);
    }
    expect(Object.fromEntries(judged.faults)).toEqual({});
    await setStatistics(app.databaseUrl, 'current');
    expect(Object.fromEntries(await explainAll(app.databaseUrl, values))).toEqual({});
  },
);
