import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { ApiError } from '../../kernel/api-error.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { recordOfFile } from './markdown-folder.ts';
import { chunksOf, type SourceFile } from './source-file.ts';

/** A folder of Markdown files as one file (tar), which is how a browser sends it. Nothing of it is unpacked. */
export const readMarkdownArchive = (file: SourceFile): ForeignSite => ({
  source: 'markdown',
  records: recordsOf(file),
});

async function* recordsOf(file: SourceFile): AsyncGenerator<ForeignRecord> {
  const source = Readable.from(chunksOf(file));
  const tar = extract();
  source.once('error', (error) => tar.destroy(error));
  source.pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mtime = new Date(0) } = entry.header;
      if (type === 'file')
        yield await recordOfFile({
          sourceId: name.replace(/^\.\//, ''),
          size,
          mtime,
          read: () => text(entry),
        });
      // What was not read of an entry has to pass before the next one comes.
      entry.resume();
    }
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('validation_failed', 'the archive of the folder is damaged', { cause });
  } finally {
    source.destroy();
    tar.destroy();
  }
}
