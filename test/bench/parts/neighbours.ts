import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '../bench.ts';
import { measure } from '../load.ts';
import { nextMessage, startProcess } from '../processes.ts';
import { startReader } from '../reader.ts';
import { count, millis, times } from '../report.ts';
import { addSearchable, words } from '../searchable.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median, quantile } from '../statistics.ts';

const searchesAtOnce = 25;
const writesAtOnce = 100;
const max = 1.5;

const posts = 1_000;

/** Slowdown of one site's reads, at their 99th percentile, while another site sends many requests. */
export const neighbours: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_neighbours');
  await using operator = await openOperator(databaseUrl);
  const quiet = await seedSite(operator, posts);
  const busy = await seedSite(operator, 0);
  await addSearchable(operator, busy.siteId, 10_000);
  await using service = await startService(databaseUrl);
  const { authorization } = busy.authorization;

  await using reader = await startReader(service.url, quiet.authorization.authorization, posts);
  const p99 = async () => quantile(await reader.read(bench.seconds), 0.99);
  const whileSearching = async () => {
    const env = {
      URL: service.url,
      AUTHORIZATION: authorization,
      WORD: words.everywhere,
      AT_ONCE: `${searchesAtOnce}`,
    };
    await using searches = startProcess(new URL('../processes/searches.ts', import.meta.url), env);
    await nextMessage(searches.child);
    const ms = await p99();
    if (searches.child.exitCode !== null) throw new Error('a search was refused');
    return ms;
  };
  const whileComputing = async () => {
    await using computing = startProcess(new URL('../processes/computing.ts', import.meta.url), {});
    await nextMessage(computing.child);
    return await p99();
  };
  const writes: number[] = [];
  const whileWriting = async () => {
    const load = {
      url: `${service.url}/api/v1/posts`,
      pid: service.pid,
      method: 'POST' as const,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Post [<id>]', content: 'lorem ipsum '.repeat(170) }),
      connections: writesAtOnce,
    };
    const [{ requestsPerSecond }, ms] = await Promise.all([
      measure(load, bench.seconds + 1),
      delay(500).then(p99),
    ]);
    writes.push(requestsPerSecond);
    return ms;
  };

  await p99();
  const rounds: { alone: number; searching: number; writing: number; computing: number }[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const [alone, searching, writing] = [await p99(), await whileSearching(), await whileWriting()];
    rounds.push({ alone, searching, writing, computing: await whileComputing() });
  }
  const row = (work: string, name: 'searching' | 'writing' | 'computing', isMeasure = true) => {
    const ratio = median(rounds.map((round) => round[name] / round.alone));
    const [ms, aloneMs] = [
      median(rounds.map((round) => round[name])),
      median(rounds.map(({ alone }) => alone)),
    ];
    return {
      work: `one site's reads while ${work}, p99 to that alone`,
      target: isMeasure ? `<= ${times(max)}` : '',
      result: `${times(ratio)} (${millis(ms)} to ${millis(aloneMs)})`,
      met: isMeasure ? ratio <= max : null,
      values: { ratio, ms, aloneMs },
    };
  };
  return [
    row(`another has ${searchesAtOnce} searches at once, of 10,000 posts`, 'searching'),
    row(`another has ${writesAtOnce} writes at once, ${count(median(writes))} a second`, 'writing'),
    row('a process that has nothing to do with it computes on one core', 'computing', false),
  ];
};
