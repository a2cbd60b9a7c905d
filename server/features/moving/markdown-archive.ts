import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { ApiError } from '../../kernel/api-error.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { type FoundFile, folderOf, isForPrograms, recordOfFile } from './markdown-file.ts';
import { chunksOf, type SourceFile } from './source-file.ts';

/** A folder of Markdown files as one file (tar), which is how a browser sends it. Nothing of it is unpacked. */
export const readMarkdownArchive = (file: SourceFile, now: Date): ForeignSite => ({
  source: 'markdown',
  records: recordsOf(file, now),
});

async function* recordsOf(file: SourceFile, now: Date): AsyncGenerator<ForeignRecord> {
  const names: string[] = [];
  for await (const { name } of entriesOf(file)) names.push(name);
  const folder = folderOf(names, now);
  for await (const entry of entriesOf(file))
    if (!isForPrograms(entry.name)) yield await recordOfFile(entry, folder);
}

/** The files of it, each to be read before the next one is asked for. */
async function* entriesOf(file: SourceFile): AsyncGenerator<FoundFile> {
  const source = Readable.from(chunksOf(file));
  const tar = extract();
  source.once('error', (error) => tar.destroy(error));
  source.pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mtime = new Date(0) } = entry.header;
      if (type === 'file') yield { name: name.replace(/^\.\//, ''), size, mtime, read: () => buffer(entry) };
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
