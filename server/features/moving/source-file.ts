import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { contentOf } from '../../kernel/unnamed-file.ts';

/** A file to import: the path of one, or one that is open and needs no name. */
export type SourceFile = string | FileHandle;

/** Its content from the beginning, as often as it is asked for. */
export const chunksOf = (file: SourceFile): AsyncIterable<Buffer> =>
  typeof file === 'string' ? createReadStream(file) : contentOf(file);

/** What is in a file, from the beginning, as often as it is asked for. */
export type Content = () => AsyncIterable<Buffer>;
