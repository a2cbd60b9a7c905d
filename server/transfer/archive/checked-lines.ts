import { importExport } from '../../../shared/contract/features/import-export.ts';
import type { CheckedBatch } from '../check-batch.ts';
import type { ImportDeps } from '../import-target.ts';
import { checkLinesJob, refused } from '../jobs.ts';
import { damaged } from './unpack.ts';

/**
 * Yields the records of an archive's file, validated on a thread, with the number of lines of each batch. Throws
 * `validation_failed` for a line that is longer than a record may be.
 */
export async function* checkedLines(
  { threadPool }: Pick<ImportDeps, 'threadPool'>,
  { siteId, name }: { siteId: string; name: string },
  content: AsyncIterable<Buffer>,
): AsyncGenerator<{ count: number; checked: CheckedBatch }> {
  let first = 1;
  for await (const lines of readLines(content)) {
    const checked = await threadPool
      .run(siteId, checkLinesJob, { name, lines, first })
      .catch((cause: unknown) => {
        throw refused(cause);
      });
    yield { count: lines.length, checked };
    first += lines.length;
  }
}

/** Approximate maximum size of a batch. */
const max = { lines: 500, bytes: 2 * 1024 * 1024 } as const;

/** Yields lines in batches. Throws `validation_failed` for a line that is longer than a record may be. */
async function* readLines(content: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of content) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, end);
      const line = begun.length > 0 ? Buffer.concat([...begun, piece]) : piece;
      [begun, begunBytes, from] = [[], 0, end + 1];
      lines.push(line.toString());
      bytes += line.length;
      if (lines.length < max.lines && bytes < max.bytes) continue;
      yield lines;
      [lines, bytes] = [[], 0];
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (begunBytes > importExport.recordBytes) throw damaged('a line exceeds the maximum size of a record');
  }
  if (begunBytes > 0) throw damaged('its last line is incomplete');
  if (lines.length > 0) yield lines;
}
