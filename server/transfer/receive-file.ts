import type { FileHandle } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { importExport } from '../../shared/contract/features/import-export.ts';
import { type Wait, waitFor, watchTransfer } from '../../shared/runtime/timeouts.ts';
import { ApiError } from '../api/api-error.ts';

/**
 * Writes a body into an empty file. `wait` is in milliseconds and bytes per second. The rest of a refused body is not read,
 * so that its sender gets a response. Throws `payload_too_large`, `validation_failed` for an empty body, and the reason of
 * `ended`. Throws `invalid_request` for a body that ends early or is too slow.
 */
export async function receiveFile(
  file: FileHandle,
  { body, ended }: { body: Readable; ended: AbortSignal },
  wait: Wait,
): Promise<void> {
  // Destroying the body itself would close the connection.
  const content = body.pipe(new PassThrough());
  const onClose = () => body.readableEnded || content.destroy(broken('incomplete'));
  body.once('close', onClose);
  const onEnded = () => content.destroy(ended.reason);
  ended.addEventListener('abort', onEnded);
  const watched = watchTransfer(waitFor(importExport.uploadBytes, wait), () =>
    content.destroy(broken('not received in time')),
  );
  try {
    let bytes = 0;
    for await (const chunk of content) {
      watched.moved(chunk.length);
      bytes += chunk.length;
      if (bytes > importExport.uploadBytes) throw tooLarge();
      await file.writeFile(chunk);
    }
    if (bytes === 0) throw new ApiError('validation_failed', 'the file is empty');
  } finally {
    watched.end();
    ended.removeEventListener('abort', onEnded);
    body.off('close', onClose);
    body.unpipe(content);
  }
}

const broken = (why: string) => new ApiError('invalid_request', `invalid request body: ${why}`);

const tooLarge = () =>
  new ApiError(
    'payload_too_large',
    `the file is larger than ${importExport.uploadBytes / 1e9} GB: import it on the server`,
  );
