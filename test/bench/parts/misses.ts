import type { Part } from '../bench.ts';
import { compare } from '../compare.ts';
import type { Load } from '../load.ts';
import { cpu, millis, perSecond, times } from '../report.ts';
import { timeEach } from '../sequence.ts';
import { startLimit, startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

/** Far more posts than fit in memory. */
const posts = 100_000;
const connections = 16;

const minOfLimit = 0.45;
const maxCpuMs = 0.1;
const maxOfQuery = 1.1;

/**
 * Posts that were not requested before, as crawlers and static builds read them; and one cached post without concurrent
 * requests.
 */
export const misses: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_misses');
  await using operator = await openOperator(databaseUrl);
  const { siteId, key, authorization: headers } = await seedSite(operator, posts);
  await using service = await startService(databaseUrl);
  await using limit = await startLimit(databaseUrl, { siteId, key });
  const load = ({ url, pid }: { url: string; pid: number }, path: string): Load => ({
    url: `${url}${path}/posts/post-*`,
    among: posts,
    pid,
    headers,
    connections,
  });
  const { median: middle, ratio } = await compare<'own' | 'limit'>(
    { own: load(service, '/api/v1'), limit: load(limit, '') },
    bench,
  );
  const [own, other] = [middle('own', 'requestsPerSecond'), middle('limit', 'requestsPerSecond')];
  const [cpuMs, otherCpuMs] = [middle('own', 'cpuMs'), middle('limit', 'cpuMs')];
  const ofLimit = ratio('own', 'limit');
  const lone = await timeLone(bench, headers, {
    own: `${service.url}/api/v1/posts/post-500`,
    limit: `${limit.url}/posts/post-500`,
  });
  return [
    {
      work: `any of ${posts.toLocaleString('en')} posts, to Fastify with prepared statements`,
      target: `>= ${times(minOfLimit)}, CPU <= ${cpu(maxCpuMs)}`,
      result: `${times(ofLimit)} (${perSecond(own)} to ${perSecond(other)}; CPU ${cpu(cpuMs)} to ${cpu(otherCpuMs)})`,
      met: ofLimit >= minOfLimit && cpuMs <= maxCpuMs,
      values: { ratio: ofLimit, perSecond: own, cpuMs, otherPerSecond: other, otherCpuMs },
    },
    {
      work: 'one kept post all alone, time to the same query of that server',
      target: `<= ${times(maxOfQuery)}`,
      result: `${times(lone.ratio)} (${millis(lone.ownMs)} to ${millis(lone.limitMs)})`,
      met: lone.ratio <= maxOfQuery,
      values: lone,
    },
  ];
};

/** Returns medians of alternating sequential reads over one connection. */
async function timeLone(
  { seconds, rounds }: { seconds: number; rounds: number },
  headers: Record<string, string>,
  urls: { own: string; limit: string },
) {
  const tookMs: { own: number; limit: number }[] = [];
  for (let n = 0; n < seconds * rounds * 25; n++) {
    const [own = Number.NaN] = await timeEach([urls.own], headers);
    const [limit = Number.NaN] = await timeEach([urls.limit], headers);
    tookMs.push({ own, limit });
  }
  const warm = tookMs.slice(tookMs.length / 5);
  const [ownMs, limitMs] = [median(warm.map(({ own }) => own)), median(warm.map(({ limit }) => limit))];
  return { ratio: ownMs / limitMs, ownMs, limitMs };
}
