import { z } from 'zod';
import { UnansweredError, wordsFor, wordsForCode } from '../strings/errors.ts';
import { texts } from '../strings/texts.ts';

/** What the service says of a file that it has taken. */
export interface UploadedFile {
  id: string;
  name: string;
  url: string;
  type: string;
  /** What it shows; empty where nobody has said so. */
  alt: string;
  /** What stands below it; may be empty. */
  caption: string;
}

/** Is told how much of a file has gone, from 0 to 1. */
type OnSent = (share: number) => void;

/** Uploads a file. Throws what is wrong with it. */
export type Upload = (file: File, onSent: OnSent) => Promise<UploadedFile>;

/** How often an upload is made again that the service has no time for. */
const mostTries = 6;

/** Why the service did not take a file. */
class UploadRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * Files go as forms, which RPC doesn't carry. The same file can be sent any number of times, so it is sent again when the
 * service is busy.
 */
export const createUpload =
  (fetchTelling: (onSent: OnSent) => typeof fetch): Upload =>
  async (file, onSent) => {
    const fetchAsOwner = fetchTelling(onSent);
    for (let triesLeft = mostTries; ; triesLeft -= 1) {
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

/** `fetch` of a form, which tells how much of it has gone: that one itself doesn't. */
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

/** Empty for what is no answer of the service's: proxies refuse files, too. */
function codeOf(body: string): string {
  try {
    return Refusal.parse(JSON.parse(body)).error.code;
  } catch {
    return '';
  }
}

/** What a person is told of an upload that failed. */
export function wordsForUpload(error: unknown): string {
  if (!(error instanceof UploadRefused)) return wordsFor(error);
  return error.code === 'payload_too_large' ? texts.media.tooLarge : wordsForCode(error.code);
}
