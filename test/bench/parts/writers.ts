import { z } from 'zod';
import type { Part } from '../bench.ts';
import { cpuSeconds, nextMessage, startProcess } from '../processes.ts';
import { cpu, cpuMsEach, perSecond, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const atOnce = 8;
const minOfEight = 0.75;
const maxCpuMs = 0.35;
const content = 'lorem ipsum '.repeat(170);

/**
 * Posts of 2 KB created by concurrent writers, all on one site or each on its own: shows whether a site's writers wait
 * for each other.
 */
export const writers: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_writers');
  await using operator = await openOperator(databaseUrl);
  const keys: string[] = [];
  for (let n = 0; n < atOnce; n++) keys.push((await seedSite(operator, 1_000)).key);
  await using service = await startService(databaseUrl);
  const create = async (keys: readonly string[], connections: number) => {
    const before = [await cpuSeconds(service.pid), await bench.databaseCpuSeconds()] as const;
    const { made, perSecond } = await write(`${service.url}/api/v1/posts`, {
      keys,
      connections,
      seconds: bench.seconds,
    });
    return {
      perSecond,
      serverMs: cpuMsEach(before[0], await cpuSeconds(service.pid), made),
      databaseMs: cpuMsEach(before[1], await bench.databaseCpuSeconds(), made),
    };
  };
  const ofOne = keys.slice(0, 1);
  await create(keys, atOnce);
  const rounds: Record<'one' | 'eight' | 'alone', Awaited<ReturnType<typeof create>>>[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const one = await create(ofOne, atOnce);
    const eight = await create(keys, atOnce);
    const alone = await create(ofOne, 1);
    rounds.push({ one, eight, alone });
  }
  const ratio = median(rounds.map(({ one, eight }) => one.perSecond / eight.perSecond));
  const rateOf = (which: 'one' | 'eight' | 'alone') => median(rounds.map((round) => round[which].perSecond));
  const cpuOf = (side: 'serverMs' | 'databaseMs') => median(rounds.map(({ one }) => one[side] ?? Number.NaN));
  const row = (work: string, side: 'serverMs' | 'databaseMs') => ({
    work,
    target: `<= ${cpu(maxCpuMs)}`,
    result: cpu(cpuOf(side)),
    met: cpuOf(side) <= maxCpuMs,
    values: { cpuMs: cpuOf(side) },
  });
  return [
    {
      work: `${atOnce} writers of one site, to ${atOnce} of as many sites`,
      target: `>= ${times(minOfEight)}`,
      result: `${times(ratio)} (${perSecond(rateOf('one'))} to ${perSecond(rateOf('eight'))}; one alone ${perSecond(rateOf('alone'))})`,
      met: ratio >= minOfEight,
      values: { ratio, one: rateOf('one'), eight: rateOf('eight'), alone: rateOf('alone') },
    },
    row(`CPU of the server for a post created by ${atOnce} writers of one site`, 'serverMs'),
    row('CPU of the database for the same', 'databaseMs'),
  ];
};

interface Writing {
  /** API keys that the connections use in turn. */
  keys: readonly string[];
  connections: number;
  seconds: number;
}

const Written = z.object({ '2xx': z.number(), non2xx: z.number(), errors: z.number(), duration: z.number() });

/** Creates posts from a separate process. Throws unless all are created. */
async function write(url: string, { keys, connections, seconds }: Writing) {
  await using writing = startProcess(new URL('../processes/many-writers.ts', import.meta.url), {
    LOAD_URL: url,
    BODY: JSON.stringify({ title: 'Post [<id>]', content }),
    AUTHORIZATIONS: keys.map((key) => `Bearer ${key}`).join(','),
    CONNECTIONS: `${connections}`,
    SECONDS: `${seconds}`,
  });
  const { '2xx': made, non2xx, errors, duration } = Written.parse(await nextMessage(writing.child));
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} posts were refused, ${errors} requests failed`);
  return { made, perSecond: made / duration };
}
