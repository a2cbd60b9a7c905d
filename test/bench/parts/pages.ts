import type { Part } from '../bench.ts';
import { millis, times } from '../report.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const posts = 100_000;
const perPage = 20;
const lastPage = posts / perPage;
const max = 3;

/** Number of pages of each kind. Each is requested once, so that none is answered from memory. */
const requested = 100;

/** Cost of a late page of v2, compared with an early one. */
export const pages: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_pages');
  await using operator = await openOperator(databaseUrl);
  const { authorization: headers } = await seedSite(operator, posts);
  await using service = await startService(databaseUrl);
  const pagesFrom = (first: number) =>
    Array.from(
      { length: requested },
      (_, n) => `${service.url}/api/v2/posts?per_page=${perPage}&page=${first + n}`,
    );
  const time = async (first: number) => median(await timeEach(pagesFrom(first), headers));
  await time(1_000);
  const firstMs = await time(1);
  const middleMs = await time(lastPage / 2 - requested);
  const lastMs = await time(lastPage - requested + 1);
  const row = (work: string, ms: number, target?: number) => ({
    work: `${work} of ${posts.toLocaleString('en')} posts, time to that of the first pages`,
    target: target === undefined ? '' : `<= ${times(target)}`,
    result: `${times(ms / firstMs)} (${millis(ms)} to ${millis(firstMs)})`,
    met: target === undefined ? null : ms / firstMs <= target,
    values: { ratio: ms / firstMs, ms, firstMs },
  });
  return [
    row(`v2 pages up to ${lastPage.toLocaleString('en')}`, lastMs, max),
    row(`v2 pages up to ${(lastPage / 2).toLocaleString('en')}`, middleMs),
  ];
};
