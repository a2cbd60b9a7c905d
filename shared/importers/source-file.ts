import { createReadStream, fstat, read } from 'node:fs';
import { promisify } from 'node:util';
import { contentOf, type OpenedFile } from '../runtime/file-system.ts';

/** A file to import: the path of one, or one that is open and needs no name. */
export type SourceFile = string | (OpenedFile & { stat(): Promise<{ size: number }> });

/** Its content from the beginning, as often as it is asked for. */
export const chunksOf = (file: SourceFile): AsyncIterable<Buffer> =>
  typeof file === 'string' ? createReadStream(file) : contentOf(file);

/** What is in a file, from the beginning, as often as it is asked for. */
export type FileContent = () => AsyncIterable<Buffer>;

/** A file by what a thread can be told of it: its path, or its descriptor. */
export type FileReference = string | number;

export const referenceTo = (file: SourceFile): FileReference => (typeof file === 'string' ? file : file.fd);

/** The file again, in another thread. Who opened it closes it. */
export function fileAt(reference: FileReference): SourceFile {
  if (typeof reference === 'string') return reference;
  const [readAt, statOf] = [promisify(read), promisify(fstat)];
  return {
    fd: reference,
    read: (...what) => readAt(reference, ...what),
    stat: () => statOf(reference),
  };
}

/** Error of a file that cannot be imported. Its message is shown to the person who imports the file. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/** Yields the same items. A failure is thrown as the error that `as` returns for it. */
export async function* rethrown<Item>(
  items: AsyncIterable<Item>,
  as: (cause: unknown) => unknown,
): AsyncGenerator<Item, void, void> {
  try {
    yield* items;
  } catch (cause) {
    throw as(cause);
  }
}
