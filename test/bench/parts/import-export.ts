import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Part } from '../bench.ts';
import { runOperator } from '../operator-command.ts';
import { openOperator, seedSite } from '../site.ts';

const posts = 100_000;
const fewPosts = 10_000;
const maxSeconds = 60;
/** Maximum ratio of the memory for ten times as many posts. */
const maxGrowth = 1.3;

/** Transfer of a site with 100,000 posts of 2 KB: time, memory compared with a tenth of it, and equality of the result. */
export const moving: Part = async (bench) => {
  const folder = await mkdtemp(path.resolve(import.meta.dirname, '../../../.data/moving-'));
  try {
    const from = await bench.createDatabase('bench_moving_from');
    await using operator = await openOperator(from);
    const few = await seedSite(operator, fewPosts);
    const many = await seedSite(operator, posts);
    const to = await bench.createDatabase('bench_moving_to');
    const small = `${folder}/small.tar.gz`;
    const [first, second] = [`${folder}/first.tar.gz`, `${folder}/second.tar.gz`];
    const works = {
      'export 10,000 posts': await runOperator({ DATABASE_URL: from }, [
        'export',
        few.siteId,
        '--out',
        small,
      ]),
      'export 100,000 posts': await runOperator({ DATABASE_URL: from }, [
        'export',
        many.siteId,
        '--out',
        first,
      ]),
      'import 10,000 posts': await runOperator({ DATABASE_URL: to }, ['import', small]),
      'import 100,000 posts': await runOperator({ DATABASE_URL: to }, ['import', first]),
      'dry run of 100,000 posts, all there already': await runOperator({ DATABASE_URL: to }, [
        'import',
        first,
        '--dry-run',
        '--site',
        many.siteId,
      ]),
    };
    await runOperator({ DATABASE_URL: to }, ['export', many.siteId, '--out', second]);
    const isSame = (await hashOf(first)) === (await hashOf(second));
    const { size } = await stat(first);
    const timed = Object.entries(works).map(([work, { seconds, megabytes }]) => ({
      work,
      target: `<= ${maxSeconds} s`,
      result: `${seconds.toFixed(1)} s, at most ${megabytes?.toFixed(0) ?? '?'} MB`,
      met: seconds <= maxSeconds,
      values: { seconds, megabytes },
    }));
    const level = (['export', 'import'] as const).map((work) => {
      const [little, much] = [
        works[`${work} 10,000 posts`].megabytes,
        works[`${work} 100,000 posts`].megabytes,
      ];
      const growth = little && much ? much / little : null;
      return {
        work: `memory of that ${work} of ten times as many`,
        target: `<= ${maxGrowth} ×`,
        result: `${growth?.toFixed(2) ?? '?'} ×`,
        met: growth === null ? null : growth <= maxGrowth,
        values: { growth },
      };
    });
    const same = {
      work: 'exported again after the import, byte for byte',
      target: 'the same',
      result: `${isSame ? 'the same' : 'another'}, ${(size / 1e6).toFixed(0)} MB`,
      met: isSame,
      values: { bytes: size },
    };
    return [...timed, ...level, same];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
