import { z } from 'zod';
import { messageFor, messageForCode, UnansweredError } from '../strings/errors.ts';
import { strings } from '../strings/ui-strings.ts';

/** A file that the service has stored. */
export interface UploadedFile {
  id: string;
  name: string;
  url: string;
  type: string;
  /** Description of an image; empty if there is none. */
  alt: string;
  /** Caption; may be empty. */
  caption: string;
}

/** Callback with the sent share of a file, from 0 to 1. */
type OnSent = (share: number) => void;

/** Uploads a file. Throws `UploadRefused` if the service refuses it, and `UnansweredError` if the connection fails. */
export type Upload = (file: File, onSent: OnSent) => Promise<UploadedFile>;

/** Maximum number of attempts if the service is busy. */
const maxAttempts = 6;

/** Refusal of a file by the service, with its error code. */
class UploadRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * Creates the upload function.
 *
 * Files are sent as multipart forms, which RPC does not support. On status 429 or 503 it waits for `retry-after` seconds, or
 * 1, and tries again. It makes at most 6 attempts. That is safe, because storing the same file twice keeps one. A failed
 * connection is not retried.
 */
export const createUpload =
  (fetchTelling: (onSent: OnSent) => typeof fetch): Upload =>
  async (file, onSent) => {
    const fetchAsOwner = fetchTelling(onSent);
    for (let triesLeft = maxAttempts; ; triesLeft -= 1) {
      const body = new FormData();
      body.append('file', file);
      const answer = await fetchAsOwner('/api/admin/media', { method: 'POST', body }).catch(
        (cause: unknown) => {
          throw new UnansweredError('the connection failed', { cause });
        },
      );
      if (answer.ok) return answer.json();
      if ((answer.status !== 429 && answer.status !== 503) || triesLeft === 1)
        throw new UploadRefused(codeOf(await answer.text()));
      await pause(Number(answer.headers.get('retry-after') ?? 1));
    }
  };

/**
 * Returns a `fetch` for forms that reports the progress of the upload, based on XMLHttpRequest. It rejects with a
 * `TypeError` if the connection fails. It ignores `signal`, and sends no body other than `FormData`. Answers have no header
 * other than `retry-after`.
 */
export const fetchForm =
  (onSent: OnSent): typeof fetch =>
  (url, { method = 'POST', headers, body } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const request = new XMLHttpRequest();
    request.open(method, String(url));
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 1);
    request.onload = () => {
      const retryAfter = request.getResponseHeader('retry-after');
      const { status, responseText } = request;
      resolve(
        new Response(responseText, { status, ...(retryAfter && { headers: { 'retry-after': retryAfter } }) }),
      );
    };
    request.onerror = () => reject(new TypeError('the connection failed'));
    request.send(body instanceof FormData ? body : null);
    return promise;
  };

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

const Refusal = z.object({ error: z.object({ code: z.string() }) });

/** Returns the error code of an answer; empty if it is not the service's, as with a proxy's error page. */
function codeOf(body: string): string {
  try {
    return Refusal.parse(JSON.parse(body)).error.code;
  } catch {
    return '';
  }
}

/** Returns the message for the error of an upload. */
export function messageForUpload(error: unknown): string {
  if (!(error instanceof UploadRefused)) return messageFor(error);
  return error.code === 'payload_too_large' ? strings.media.tooLarge : messageForCode(error.code);
}
