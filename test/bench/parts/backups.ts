import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Part } from '../bench.ts';
import { runOperator } from '../operator-command.ts';
import { openOperator, seedSite } from '../site.ts';

const posts = 100_000;
const maxSeconds = 60;

/** Backup and restore of an installation with 100,000 posts of 2 KB. */
export const backups: Part = async (bench) => {
  const folder = await mkdtemp(path.resolve(import.meta.dirname, '../../../.data/backups-'));
  try {
    const from = await bench.createDatabase('bench_backups_from');
    const to = await bench.createDatabase('bench_backups_to');
    {
      await using operator = await openOperator(from);
      await seedSite(operator, posts);
    }
    const file = `${folder}/all.tar`;
    const media = { MEDIA_URL: `file://${folder}/media` };
    const works = {
      backup: await runOperator({ DATABASE_URL: from, ...media }, ['backup', file, '--without-secret-key']),
      check: await runOperator(media, ['restore', file, '--check']),
      restore: await runOperator({ DATABASE_URL: to, ...media }, ['restore', file]),
    };
    return Object.entries(works).map(([work, { seconds, megabytes }]) => ({
      work: `${work} of 100,000 posts`,
      target: `<= ${maxSeconds} s`,
      result: `${seconds.toFixed(1)} s, at most ${megabytes?.toFixed(0) ?? '?'} MB`,
      met: seconds <= maxSeconds,
      values: { seconds, megabytes },
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
