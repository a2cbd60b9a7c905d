import { importExport } from '../../../shared/contract/features/import-export.ts';
import type { CheckedBatch } from '../check-batch.ts';
import { checkLinesJob, refused } from '../jobs.ts';
import type { ImportDeps } from '../target.ts';
import { damaged } from './unpack.ts';

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

/** Lines that are taken together, at most so many and about so many bytes. */
const most = { lines: 500, bytes: 2 * 1024 * 1024 } as const;

/** The lines of a file, a few at a time: each can be as long as a record may be, and no longer. */
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
      if (lines.length < most.lines && bytes < most.bytes) continue;
      yield lines;
      [lines, bytes] = [[], 0];
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (begunBytes > importExport.recordBytes) throw damaged('a line is longer than a record may be');
  }
  if (begunBytes > 0) throw damaged('its last line has no end');
  if (lines.length > 0) yield lines;
}
