import { sql } from 'kysely';
import { viewLimits as bounds } from '../../../shared/contract/features/analytics.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { dayAfter, dayOf, ensureDays } from '../../../shared/db/page-views.ts';
import { rollUpViews } from '../../../worker/jobs/roll-up.ts';
import type { Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median, quantile } from '../statistics.ts';

const views = 5_000_000;
const maxMs = 50;
const requested = 100;

/**
 * Analytics of 90 days, with the current day not yet aggregated. One site has many views, with up to 500 pages, 200
 * referrers and 20,000 visitors a day. The other has the maximum number of labels on each day.
 */
export const analytics: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_analytics');
  await using operator = await openOperator(databaseUrl);
  const sites = { many: await seedSite(operator, 10), bound: await seedSite(operator, 10) };
  const today = dayOf(new Date());
  const days = Array.from({ length: retentionDays.views }, (_, daysAgo) => dayAfter(today, -daysAgo));
  await ensureDays(operator.database, days);
  const db = operator.database.em.getKysely();
  const day = sql`${today}::date - n % ${retentionDays.views}::integer`;
  await sql`
    insert into page_views (site_id, day, path, referrer, utm_source, utm_medium, utm_campaign, visitor)
    select ${sites.many.siteId}, ${day}, '/posts/post-' || floor(power(random(), 3) * 500),
      case when random() < 0.4 then '' else 'site-' || floor(power(random(), 2) * 200) || '.example.com' end,
      case when random() < 0.8 then '' else 'source-' || floor(random() * 10) end, '',
      case when random() < 0.9 then '' else 'campaign-' || floor(random() * 5) end,
      floor(random() * 20000)::bigint * 461168601842738
    from generate_series(1, ${views}::integer) n`.execute(db);
  const { path, referrer, utm } = bounds.labelsPerDay;
  await sql`
    insert into page_views (site_id, day, path, referrer, utm_source, utm_medium, utm_campaign, visitor)
    select ${sites.bound.siteId}, ${day}, '/posts/post-' || k % ${path}::integer, 'site-' || k % ${referrer}::integer || '.example.com',
      'mail', '', 'campaign-' || k % ${utm}::integer, (n % 6000)::bigint * 461168601842738
    from generate_series(0, ${retentionDays.views * 2 * path - 1}::integer) n,
      lateral (select n / ${retentionDays.views}::integer as k) label`.execute(db);
  await rollUpViews(operator.database, new Date(`${today}T12:00:00Z`));
  await sql`vacuum analyze`.execute(db);
  await using service = await startService(databaseUrl);
  const row = async (work: string, { authorization }: (typeof sites)[keyof typeof sites]) => {
    const time = () =>
      timeEach(Array<string>(requested).fill(`${service.url}/api/v2/analytics?period=90d`), authorization);
    await time();
    const tookMs = await time();
    const is = median(tookMs);
    return {
      work,
      target: `<= ${maxMs} ms`,
      result: `${millis(is)} (p95 ${millis(quantile(tookMs, 0.95))})`,
      met: is <= maxMs,
      values: { medianMs: is, p95Ms: quantile(tookMs, 0.95) },
    };
  };
  return [
    await row(`analytics of 90 days with ${count(views)} raw views`, sites.many),
    await row(`analytics of 90 days with ${count(path)} pages a day, the bound`, sites.bound),
  ];
};
