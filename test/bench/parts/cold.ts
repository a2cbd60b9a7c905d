import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { millis, times } from '../report.ts';
import { timeEach } from '../sequence.ts';
import { startPlain, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const posts = 1_000;

interface Expected {
  /** Minimum ratio; undefined for a row without a target. */
  min?: number;
  coding?: 'identity' | 'gzip';
}

/**
 * Reads right after a write to their collection, one after another, compared with plain Fastify and `pg` with the same
 * SQL.
 */
export const cold: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_cold');
  await using operator = await openOperator(databaseUrl);
  const { siteId, authorization: headers } = await seedSite(operator, posts);
  await using service = await startService(databaseUrl);
  await using plain = await startPlain(databaseUrl, { siteId });
  const write = () =>
    sql`update posts set featured = not featured where site_id = ${siteId} and slug = 'post-1'`.execute(
      operator.database.em.getKysely(),
    );
  const time = async (url: string, coding: string) => {
    await write();
    const [tookMs = Number.NaN] = await timeEach([url], { ...headers, 'accept-encoding': coding });
    return tookMs;
  };
  const row = async (work: string, path: string, { min, coding = 'identity' }: Expected) => {
    const tookMs: { own: number; other: number }[] = [];
    for (let n = 0; n < bench.seconds * bench.rounds * 25; n++) {
      tookMs.push({
        own: await time(`${service.url}/api/v1${path}`, coding),
        other: await time(`${plain.url}${path}`, coding),
      });
    }
    const warm = tookMs.slice(tookMs.length / 5);
    const [ownMs, otherMs] = [median(warm.map(({ own }) => own)), median(warm.map(({ other }) => other))];
    return {
      work,
      target: min === undefined ? '' : `>= ${times(min)}`,
      result: `${times(otherMs / ownMs)} (${millis(ownMs)} to ${millis(otherMs)}, ${warm.length} each)`,
      met: min === undefined ? null : otherMs / ownMs >= min,
      values: { ratio: otherMs / ownMs, ownMs, otherMs },
    };
  };
  return [
    await row('list of 20 posts right after a write, speed to plain Fastify + pg', '/posts', { min: 0.8 }),
    await row('the same in gzip, to the plain one uncompressed', '/posts', { coding: 'gzip' }),
    await row('one post by slug right after a write, speed to plain Fastify + pg', '/posts/post-500', {
      min: 0.7,
    }),
    await row('the same in gzip, to the plain one uncompressed', '/posts/post-500', { coding: 'gzip' }),
  ];
};
