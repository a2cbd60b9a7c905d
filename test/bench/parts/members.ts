import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { measure } from '../load.ts';
import { millis } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';

const accounts = 100_000;
const mostMs = 10;

/** The first page of a long list of members, whose total comes with it. */
export const members: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_members');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, 10);
  const db = operator.database.em.getKysely();
  await sql`
    insert into members (site_id, id, email, name, status, access_tiers, last_seen_at, created, updated)
    select ${siteId}, lpad(n::text, 15, '0'), 'member-' || n || '@example.com', 'Member ' || n, 'active', '{}', moment, moment, moment
    from generate_series(1, ${accounts}::integer) n, lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment)
  `.execute(db);
  await sql`vacuum analyze members`.execute(db);
  await using service = await startService(databaseUrl);
  const load = { url: `${service.url}/api/v2/members`, pid: service.pid, headers, connections: 1 };
  await measure(load, 2);
  const { meanLatencyMs: is } = await measure(load, bench.seconds);
  return [
    {
      work: `first page of ${accounts.toLocaleString('en')} members`,
      target: `<= ${mostMs} ms`,
      result: millis(is),
      met: is <= mostMs,
      values: { meanMs: is },
    },
  ];
};
