import { createMemoryRateLimiter } from '../../../server/api/limits/memory-rate-limiter.ts';
import type { RateLimiter } from '../../../server/api/rate-limiter.ts';
import { systemClock } from '../../../shared/contract/timestamps.ts';
import { openSharedLimiter } from '../../support/shared-limiter.ts';
import type { Part } from '../bench.ts';
import { compare } from '../compare.ts';
import { times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const atOnce = 20;
const clients = 1_000;

const max = { ownUs: 6, databaseUs: 15 } as const;

/** Cost of one decision of a rate limit, in memory and in the database that all processes share. */
export const limits: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_limits');
  const tiers = { normal: { perMinute: 60, burst: 10 } };
  await using shared = openSharedLimiter({ databaseUrl, tiers });
  const memory = createMemoryRateLimiter(tiers, systemClock);
  const cost = async (limiter: RateLimiter) => {
    const [own, database] = [process.cpuUsage(), await bench.databaseCpuSeconds()];
    const endsAt = performance.now() + bench.seconds * 1_000;
    let decisions = 0;
    while (performance.now() < endsAt) {
      await Promise.all(
        Array.from({ length: atOnce }, () => limiter.take('normal', `client ${decisions++ % clients}`)),
      );
    }
    const { user, system } = process.cpuUsage(own);
    const databaseSeconds = ((await bench.databaseCpuSeconds()) ?? Number.NaN) - (database ?? Number.NaN);
    return { ownUs: (user + system) / decisions, databaseUs: (databaseSeconds * 1e6) / decisions };
  };
  await cost(shared);
  const rounds: { memory: Cost; shared: Cost }[] = [];
  for (let round = 0; round < bench.rounds; round++)
    rounds.push({ memory: await cost(memory), shared: await cost(shared) });
  const of = (store: 'memory' | 'shared', part: keyof Cost) =>
    median(rounds.map((round) => round[store][part]));
  const [ownUs, databaseUs] = [of('shared', 'ownUs'), of('shared', 'databaseUs')];
  return [
    {
      work: 'one decision of a rate limit in memory',
      target: '',
      result: `CPU ${of('memory', 'ownUs').toFixed(2)} µs`,
      met: null,
      values: { ownUs: of('memory', 'ownUs') },
    },
    {
      work: `the same in the database, ${atOnce} at once`,
      target: `<= ${max.ownUs} + ${max.databaseUs} µs`,
      result: `CPU ${ownUs.toFixed(1)} µs, and ${databaseUs.toFixed(1)} µs of the database`,
      met: ownUs <= max.ownUs && databaseUs <= max.databaseUs,
      values: { ownUs, databaseUs },
    },
    await requests(bench),
  ];
};

interface Cost {
  ownUs: number;
  databaseUs: number;
}

/** Reads of a cached post, with requests counted in memory and in the database. */
const requests = async (bench: Parameters<Part>[0]) => {
  const databaseUrl = await bench.createDatabase('bench_limited');
  await using operator = await openOperator(databaseUrl);
  const { authorization: headers } = await seedSite(operator, 1_000);
  await using memory = await startService(databaseUrl, { RATE_LIMIT_STORE: 'memory' });
  await using database = await startService(databaseUrl, { RATE_LIMIT_STORE: 'database' });
  const load = ({ url, pid }: { url: string; pid: number }) => ({
    url: `${url}/api/v1/posts/post-500`,
    pid,
    headers,
    connections: 50,
  });
  const { median, ratio } = await compare({ memory: load(memory), database: load(database) }, bench);
  const [is, cpuMs, memoryCpuMs] = [
    ratio('database', 'memory'),
    median('database', 'cpuMs'),
    median('memory', 'cpuMs'),
  ];
  return {
    work: 'a post by slug with limits in the database, to limits in memory',
    target: '',
    result: `${times(is)} (CPU ${cpuMs.toFixed(3)} ms to ${memoryCpuMs.toFixed(3)} ms)`,
    met: null,
    values: { ratio: is, cpuMs, memoryCpuMs },
  };
};
