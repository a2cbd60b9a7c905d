import type { CheckedBatch } from '../check-batch.ts';
import { checkLinesJob, refused } from '../jobs.ts';
import type { ImportDeps } from '../target.ts';
import { readLines } from './lines.ts';

/** The records of a file of an archive, compared with their contract by a thread; each time, how many lines they are. */
export async function* checkedLines(
  { offload }: Pick<ImportDeps, 'offload'>,
  { siteId, name }: { siteId: string; name: string },
  content: AsyncIterable<Buffer>,
): AsyncGenerator<{ count: number; checked: CheckedBatch }> {
  let first = 1;
  for await (const lines of readLines(content)) {
    const checked = await offload
      .run(siteId, checkLinesJob, { name, lines, first })
      .catch((cause: unknown) => {
        throw refused(cause);
      });
    yield { count: lines.length, checked };
    first += lines.length;
  }
}
