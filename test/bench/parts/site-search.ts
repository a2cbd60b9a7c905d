import { sql } from 'kysely';
import type { Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { addSearchable, words } from '../searchable.ts';
import { timeEach } from '../sequence.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { quantile } from '../statistics.ts';

/** Searches over all resources, none of which is cached. Creating the posts takes a minute or two. */
export const siteSearch: Part = async (bench) => {
  const posts = 100_000;
  const databaseUrl = await bench.createDatabase('bench_site_search');
  await using operator = await openOperator(databaseUrl);
  const db = operator.database.em.getKysely();
  const { siteId, authorization } = await seedSite(operator, 0);
  await addSearchable(operator, siteId, posts);
  await sql`vacuum analyze posts`.execute(db);
  const size = await sql<{ bytes: string }>`select pg_relation_size('posts_narrowed_idx') as bytes`.execute(
    db,
  );
  await using service = await startService(databaseUrl);
  const measure = async (q: string) => {
    const path = `${service.url}/api/v1/search?q=${encodeURIComponent(q)}`;
    await timeEach([path, path], authorization);
    return timeEach(Array<string>(bench.rounds * 20).fill(path), authorization);
  };
  const rows = [];
  for (const [kind, questions, max] of questionsOf()) {
    const each = await inTurn(questions, measure);
    const tookMs = each.flat();
    const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
    rows.push({
      work: `${questions.length} ${kind} searches of ${count(posts)} posts of 2 KB, p50 and p99`,
      target: `<= ${millis(max.p50)} and ${millis(max.p99)}`,
      result: `${millis(p50)} and ${millis(p99)} (slowest ${slowest(questions, each)})`,
      met: p50 <= max.p50 && p99 <= max.p99,
      values: { p50, p99 },
    });
  }
  const bytes = Number(size.rows[0]?.bytes);
  return [
    ...rows,
    {
      work: `index of words of ${count(posts)} posts of 2 KB`,
      target: '',
      result: `${Math.round(bytes / 1_000_000)} MB`,
      met: null,
      values: { bytes },
    },
  ];
};

function slowest(questions: readonly string[], each: readonly number[][]): string {
  const medians = questions.map((q, at) => [q, quantile(each[at] ?? [], 0.5)] as const);
  const [q, took] = medians.reduce((max, one) => (one[1] > max[1] ? one : max), ['', 0] as const);
  return `${q.length > 40 ? `${q.slice(0, 40)}…` : q}: ${millis(took)}`;
}

async function inTurn(questions: readonly string[], measure: (q: string) => ReturnType<typeof timeEach>) {
  const all: number[][] = [];
  for (const q of questions) all.push(await measure(q));
  return all;
}

/** Returns queries with their time limits. */
function questionsOf(): [kind: string, questions: string[], max: Record<'p50' | 'p99', number>][] {
  const { everywhere, rare, frequent, infrequent } = words;
  const usual = { p50: 20, p99: 50 };
  return [
    ['rare', [rare, infrequent, 'nowhere', `${rare} ${infrequent}`], usual],
    ['common', [everywhere, frequent, 'post', `${everywhere} ${frequent}`], usual],
    [
      'hostile',
      [
        `${everywhere} -${rare}`,
        `"${everywhere} ${frequent}"`,
        `"${frequent} ${everywhere}"`,
        `-${everywhere}`,
        Array.from({ length: 12 }, (_, n) => `w${n}`).join(' '),
        Array.from({ length: 12 }, (_, n) => `w${n + 300}`).join(' '),
        Array.from({ length: 8 }, (_, n) => `"w${n} ${everywhere}"`).join(' '),
        '"" "" -"" ((( or',
      ],
      { p50: 100, p99: 100 },
    ],
  ];
}
