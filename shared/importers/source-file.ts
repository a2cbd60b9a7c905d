import { createReadStream, fstat, read } from 'node:fs';
import { promisify } from 'node:util';
import { contentOf, type OpenedFile } from '../runtime/file-system.ts';

/** File to import: a path, or an open file, which needs no name. */
export type SourceFile = string | (OpenedFile & { stat(): Promise<{ size: number }> });

/** Yields the content of a file from its beginning. Can be called repeatedly. */
export const chunksOf = (file: SourceFile): AsyncIterable<Buffer> =>
  typeof file === 'string' ? createReadStream(file) : contentOf(file);

/** Returns the content of a file from its beginning. Can be called repeatedly. */
export type FileContent = () => AsyncIterable<Buffer>;

/** Reference that can be sent to a thread: a path or a file descriptor. */
export type FileReference = string | number;

export const referenceTo = (file: SourceFile): FileReference => (typeof file === 'string' ? file : file.fd);

/** Opens a reference in another thread. The thread that opened the file closes it. */
export function fileAt(reference: FileReference): SourceFile {
  if (typeof reference === 'string') return reference;
  const [readAt, statOf] = [promisify(read), promisify(fstat)];
  return {
    fd: reference,
    read: (...what) => readAt(reference, ...what),
    stat: () => statOf(reference),
  };
}

/** Error for a file that cannot be imported. Its message is shown to the person who imports the file. */
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
