import type { MediaType } from '../../../shared/contract/features/media.ts';
import { type Offload, OverLimitError } from '../../kernel/offload.ts';
import { damaged } from './damaged.ts';
import { inspectJob } from './jobs.ts';
import type { ReceivedFile } from './receive.ts';
import { describeStripped, strippedBytes } from './stripped-bytes.ts';

/** A file as it will be kept. */
export interface ExaminedFile {
  type: MediaType;
  /** Pixels as shown; null for what is no image. */
  width: number | null;
  height: number | null;
  /** Of the bytes that are kept. */
  size: number;
  sha256: string;
  /** The bytes that are kept, from the beginning; each chunk is good until the next is asked for. */
  content(): AsyncIterable<Buffer>;
}

/** What is to be kept of a file of a site that has come. Throws what is wrong with it. */
export async function examine(
  offload: Offload,
  siteId: string,
  { handle, type, size }: ReceivedFile,
): Promise<ExaminedFile> {
  const inspected = await offload
    .run(siteId, inspectJob, { descriptor: handle.fd, type, size })
    .catch((cause: unknown) => {
      throw cause instanceof OverLimitError ? damaged(cause) : cause;
    });
  // Bytes that another thread gives have lost their kind.
  const pieces = inspected.pieces.map((piece) => (piece instanceof Uint8Array ? Buffer.from(piece) : piece));
  return {
    ...{ type, width: inspected.width, height: inspected.height },
    ...(await describeStripped(handle, pieces)),
    content: () => strippedBytes(handle, pieces),
  };
}
