import { databaseAt } from '../../support/database.ts';
import { createCaller } from '../../support/http.ts';
import { withPort } from '../../support/stage.ts';
import { startPrimary } from '../../support/standby.ts';
import { startProxy } from '../../support/tcp-proxy.ts';
import { type Bench, findPostmaster, type Part } from '../bench.ts';
import { type Load, measure } from '../load.ts';
import { familyCpuSeconds } from '../processes.ts';
import { cpu, cpuMsEach, millis, type Row, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { timesOfReads } from '../standby-faults.ts';
import { median } from '../statistics.ts';

const posts = 100_000;
const connections = 4;

/** Reads that are not in memory, and how much of the primary's CPU time may be left of them. */
const kinds = [
  { work: 'lists by page', path: '/api/v2/posts?per_page=5&page=*', among: posts / 5, most: 0.3 },
  { work: 'searches for a word', path: '/api/v1/posts?limit=5&q=*', among: posts, most: 0.3 },
  { work: 'posts by slug', path: '/api/v1/posts/post-*', among: posts, most: 0.7 },
];

type Service = Awaited<ReturnType<typeof startService>>;

/** What is left to a primary that has two standbys, all of them on this machine. */
export const standbys: Part = async (bench) => {
  await using primary = await startPrimary();
  await using one = await primary.startStandby('one', false);
  await using two = await primary.startStandby('two', false);
  await primary.query('create database bench_standbys template template_app');
  const [databaseUrl, ...others] = [primary, one, two].map(({ url }) => databaseAt(url, 'bench_standbys'));
  if (!databaseUrl) throw new RangeError('no primary');
  await using operator = await openOperator(databaseUrl);
  const { key, authorization: headers } = await seedSite(operator, posts);
  await using alone = await startService(databaseUrl);
  await using helped = await startService(databaseUrl, { DATABASE_READ_URLS: others.join() });
  const postmaster = (await findPostmaster(primary.url)) ?? 0;
  const rows: Omit<Row, 'part'>[] = [];
  for (const { work, path, among, most } of kinds) {
    const load = ({ url, pid }: Service): Load => ({ url: url + path, among, pid, headers, connections });
    rows.push(await compareThem(work, { most, alone: load(alone), helped: load(helped), postmaster }, bench));
  }
  await using wayToOne = await startProxy(one);
  await using wayToTwo = await startProxy(two);
  const proxies = [wayToOne, wayToTwo];
  const urls = proxies.map(({ port }) => withPort(others[0] ?? '', port));
  await using troubled = await startService(databaseUrl, { DATABASE_READ_URLS: urls.join() });
  const callers = { helped: createCaller(troubled.url), alone: createCaller(alone.url) };
  let word = 0;
  const search = async (name: keyof typeof callers) => {
    const { status } = await callers[name]('GET', `/api/v1/posts?limit=5&q=${++word}`, { key });
    if (status !== 200) throw new Error(`a search was answered with ${status}`);
  };
  const write = () =>
    callers.alone('POST', '/api/v1/posts', { key, body: { title: 'News', is_draft: false } });
  return [...rows, ...(await timesOfReads({ search, write, standbys: [one, two], proxies }))];
};

interface Compared {
  most: number;
  alone: Load;
  helped: Load;
  postmaster: number;
}

async function compareThem(
  work: string,
  { most, postmaster, ...loads }: Compared,
  { rounds, seconds }: Bench,
): Promise<Omit<Row, 'part'>> {
  const once = async (load: Load) => {
    const before = await familyCpuSeconds(postmaster);
    const { requestsPerSecond, meanLatencyMs } = await measure(load, seconds);
    const cpuMs = cpuMsEach(before, await familyCpuSeconds(postmaster), requestsPerSecond * seconds);
    return { cpuMs: cpuMs ?? Number.NaN, ms: meanLatencyMs };
  };
  for (const load of Object.values(loads)) await measure(load, 2);
  const measured: Record<keyof typeof loads, Awaited<ReturnType<typeof once>>>[] = [];
  for (let round = 0; round < rounds; round++)
    measured.push({ alone: await once(loads.alone), helped: await once(loads.helped) });
  const of = (name: keyof typeof loads, value: 'cpuMs' | 'ms') =>
    median(measured.map((each) => each[name][value]));
  const [cpuMs, aloneCpuMs] = [of('helped', 'cpuMs'), of('alone', 'cpuMs')];
  const [ms, aloneMs] = [of('helped', 'ms'), of('alone', 'ms')];
  const ratio = median(measured.map(({ alone, helped }) => helped.cpuMs / alone.cpuMs));
  return {
    work: `${work}: CPU of the primary with two standbys, to that without`,
    target: `<= ${times(most)}`,
    result: `${times(ratio)} (${cpu(cpuMs)} to ${cpu(aloneCpuMs)}; ${millis(ms)} to ${millis(aloneMs)})`,
    met: ratio <= most,
    values: { ratio, cpuMs, aloneCpuMs, ms, aloneMs },
  };
}
