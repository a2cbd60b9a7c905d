import { Readable } from 'node:stream';
import type { MediaType } from '../../../shared/contract/media.ts';
import { inspect } from './inspect.ts';
import { describeKept, keptBytes } from './kept-bytes.ts';
import type { ReceivedFile } from './receive.ts';

/** A file as it will be kept. */
export interface ExaminedFile {
  type: MediaType;
  /** Pixels as shown; null for what is no image. */
  width: number | null;
  height: number | null;
  /** Of the bytes that are kept. */
  size: number;
  sha256: string;
  /** The bytes that are kept, from the beginning. */
  content(): Readable;
}

/** What is to be kept of a file that has come. Throws what is wrong with it. */
export async function examine({ handle, type, size }: ReceivedFile): Promise<ExaminedFile> {
  const { width, height, pieces } = await inspect(handle, type, size);
  return {
    ...{ type, width, height },
    ...(await describeKept(handle, pieces)),
    content: () => Readable.from(keptBytes(handle, pieces), { objectMode: false }),
  };
}
