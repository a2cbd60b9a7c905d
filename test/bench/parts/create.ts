import { z } from 'zod';
import { addManySites } from '../../support/many-sites.ts';
import type { Bench, Part } from '../bench.ts';
import { type Load, measure } from '../load.ts';
import { nextMessage, startProcess } from '../processes.ts';
import { cpu, perSecond, times } from '../report.ts';
import { startService } from '../service.ts';
import { createSubscription, openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const connections = 8;
const minOfBare = 0.4;
const maxWithSubscriber = 2;
const maxBesideOthers = 1.1;
const content = 'lorem ipsum '.repeat(170);

/**
 * Creation of a post of 2 KB with every commit on disk. It is compared with its bare statements. The time with one
 * subscriber is compared with none, and that among 2,000 sites with one.
 */
export const create: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_create');
  await using operator = await openOperator(databaseUrl);
  const quiet = await seedSite(operator, 1_000);
  const followed = await seedSite(operator, 1_000);
  await createSubscription(operator, followed.siteId, 'https://example.com/hook');
  await using service = await startService(databaseUrl);
  const crowdedUrl = await bench.createDatabase('bench_create_crowded');
  await using crowd = await openOperator(crowdedUrl);
  const crowded = await seedSite(crowd, 1_000);
  await addManySites(crowdedUrl, crowded.siteId, 0);
  await crowd.database.em.execute('vacuum analyze');
  await using crowdedService = await startService(crowdedUrl);
  const load = ({ authorization }: typeof quiet, { url, pid } = service): Load => ({
    url: `${url}/api/v1/posts`,
    pid,
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Post [<id>]', content }),
    connections,
  });
  await measure(load(quiet), 2);
  await measure(load(crowded, crowdedService), 2);
  const rounds = [];
  for (let round = 0; round < bench.rounds; round++) {
    const bare = await bareWrites(bench, databaseUrl, quiet.siteId);
    const none = await measure(load(quiet), bench.seconds);
    const one = await measure(load(followed), bench.seconds);
    const beside = await measure(load(crowded, crowdedService), bench.seconds);
    rounds.push({ bare, none, one, beside });
  }
  const ofBare = median(rounds.map(({ bare, none }) => none.requestsPerSecond / bare));
  const withOne = median(rounds.map(({ none, one }) => one.meanLatencyMs / none.meanLatencyMs));
  const besideOthers = median(rounds.map(({ none, beside }) => beside.meanLatencyMs / none.meanLatencyMs));
  const besidePerSecond = median(rounds.map(({ beside }) => beside.requestsPerSecond));
  const barePerSecond = median(rounds.map(({ bare }) => bare));
  const nonePerSecond = median(rounds.map(({ none }) => none.requestsPerSecond));
  const onePerSecond = median(rounds.map(({ one }) => one.requestsPerSecond));
  const cpuMs = median(rounds.map(({ none }) => none.cpuMs ?? Number.NaN));
  return [
    {
      work: `create a post, ${connections} connections, to the bare transaction through pg`,
      target: `>= ${times(minOfBare)}`,
      result: `${times(ofBare)} (${perSecond(nonePerSecond)} of ${perSecond(barePerSecond)}; CPU ${cpu(cpuMs)})`,
      met: ofBare >= minOfBare,
      values: { ratio: ofBare, perSecond: nonePerSecond, barePerSecond, cpuMs },
    },
    {
      work: 'the same with one subscriber, time to that without',
      target: `<= ${times(maxWithSubscriber)}`,
      result: `${times(withOne)} (${perSecond(onePerSecond)})`,
      met: withOne <= maxWithSubscriber,
      values: { ratio: withOne, perSecond: onePerSecond },
    },
    {
      work: 'the same beside 2,000 sites, time to that with one',
      target: `<= ${times(maxBesideOthers)}`,
      result: `${times(besideOthers)} (${perSecond(besidePerSecond)})`,
      met: besideOthers <= maxBesideOthers,
      values: { ratio: besideOthers, perSecond: besidePerSecond },
    },
  ];
};

async function bareWrites({ seconds }: Bench, databaseUrl: string, siteId: string): Promise<number> {
  await using writers = startProcess(new URL('../processes/bare-writes.ts', import.meta.url), {
    DATABASE_URL: databaseUrl,
    SITE_ID: siteId,
    CONTENT: content,
    CONNECTIONS: `${connections}`,
    SECONDS: `${seconds}`,
  });
  return z.object({ perSecond: z.number() }).parse(await nextMessage(writers.child)).perSecond;
}
