import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { AwsClient } from 'aws4fetch';
import {
  type ByteRange,
  MediaFullError,
  MediaUnavailableError,
  type ObjectStore,
  partsOfKey,
  requireLength,
} from './store.ts';

/** Time without data after which a request fails, in milliseconds. */
const inactivityMs = 60_000;

/** Bucket of an S3-compatible service. */
interface Bucket {
  /** URL of the bucket with the key prefix; ends with a slash. */
  address: string;
  client: AwsClient;
}

/** Escapes a part of a path as S3 signatures require: all except the unreserved characters of RFC 3986. */
const escaped = (part: string) =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Parses `https://KEY:SECRET@s3.example.com/bucket/prefix?region=eu-west-1`. Key and secret are percent-encoded. The
 * region defaults to `us-east-1`, which most services accept.
 */
function readBucket(mediaUrl: string): Bucket {
  const { origin, pathname, username, password, searchParams } = new URL(mediaUrl);
  const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  if (parts.length === 0) throw new Error('MEDIA_URL: expected the name of a bucket in the path');
  return {
    address: `${origin}/${parts.map((part) => `${escaped(part)}/`).join('')}`,
    client: new AwsClient({
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      service: 's3',
      region: searchParams.get('region') ?? 'us-east-1',
    }),
  };
}

/**
 * Creates a media store in a bucket. Content is streamed, and counts as stored when the bucket confirms it. `stalledMs` is
 * the longest pause in a transfer, in milliseconds. Its functions throw `MediaFullError` if the bucket is full, and
 * `MediaUnavailableError` for its other failures. Throws an `Error` if `mediaUrl` names no bucket.
 */
export function createS3Store(mediaUrl: string, { stalledMs } = { stalledMs: inactivityMs }): ObjectStore {
  const bucket = readBucket(mediaUrl);
  const request: Ask = async (address, init, waiting = waitAtMost(stalledMs)) => {
    const signed = await bucket.client.sign(address, init);
    waiting.begin();
    // Pass the signal to `fetch`, not to `sign`: a request that was created from one with a signal loses it at garbage
    // collection.
    const answer = await fetch(signed, { signal: waiting.signal }).catch((cause: unknown) => {
      waiting.end();
      throw unreachable(cause);
    });
    const requested = { answer, waiting };
    if (answer.ok) return requested;
    const code = await readCode(requested);
    if (answer.status === 404 && code === 'NoSuchKey') return null;
    const told = `${init.method} returned ${answer.status}${code && ` (${code})`}`;
    if (answer.status === 507 || fullCodes.has(code))
      throw new MediaFullError(`the media store is full: ${told}`);
    throw new MediaUnavailableError(told);
  };
  const addressOf = (key: string) => bucket.address + partsOfKey(key).map(escaped).join('/');
  return {
    put: async (key, content, bytes) => put(request, addressOf(key), content, bytes, waitAtMost(stalledMs)),
    get: async (key, range) => get(request, addressOf(key), range),
    async delete(key) {
      const requested = await request(addressOf(key), { method: 'DELETE' });
      if (requested) await drop(requested);
    },
    // S3 does not keep partial uploads.
    removeUnfinished: async () => {},
  };
}

/** Response whose body is still to be read. */
interface S3Request {
  answer: Response;
  waiting: Waiting;
}

/** Sends a request. Returns null only if the service answers `NoSuchKey`; any other 404 is an error. */
type Ask = (
  address: string,
  init: RequestInit & { duplex?: 'half' },
  waiting?: Waiting,
) => Promise<S3Request | null>;

/** Error codes for a full account or bucket. */
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientCapacity']);

const unreachable = (cause: unknown) =>
  new MediaUnavailableError(cause instanceof Error ? cause.message : 'connection failed', { cause });

/** Maximum length of a response in which an error code is searched. */
const maxErrorBytes = 16_384;

/** Returns the error code of a response; empty if it is not an S3 error. */
async function readCode({ answer, waiting }: S3Request): Promise<string> {
  let said = '';
  try {
    for await (const part of partsOf(answer.body ?? Readable.from([]), waiting)) {
      said += Buffer.from(part).toString('latin1');
      if (said.length > maxErrorBytes) break;
    }
  } catch (cause) {
    throw unreachable(cause);
  }
  return /<Error>.*<Code>(\w+)<\/Code>/s.exec(said)?.[1] ?? '';
}

async function drop({ answer, waiting }: S3Request) {
  waiting.end();
  await answer.body?.cancel();
}

async function put(
  request: Ask,
  address: string,
  content: AsyncIterable<Buffer>,
  bytes: number,
  waiting: Waiting,
) {
  // Reject with the content's error, not with the request's error that follows from it.
  const failed = Promise.withResolvers<never>();
  const whole = async function* () {
    try {
      for await (const chunk of requireLength(content, bytes)) {
        waiting.begin();
        // Copy the chunk, because it may be sent after the next one was requested.
        yield Buffer.from(chunk);
      }
    } catch (error) {
      failed.reject(error);
      throw error;
    }
  };
  // The types of web streams differ between Node and browsers; `fetch` accepts it.
  const body = ReadableStream.from(whole()) as BodyInit;
  const headers = { 'Content-Length': String(bytes), 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const requested = await Promise.race([
    failed.promise,
    request(address, { method: 'PUT', headers, body, duplex: 'half' }, waiting),
  ]);
  if (!requested) throw new MediaUnavailableError('PUT returned no such key');
  await drop(requested);
}

async function get(request: Ask, address: string, range: ByteRange | undefined): Promise<Readable | null> {
  const headers = range && { Range: `bytes=${range.first}-${range.last}` };
  const requested = await request(address, { method: 'GET', ...(headers && { headers }) });
  if (!requested) return null;
  const { answer, waiting } = requested;
  waiting.end();
  return Readable.from(contentOf(answer.body ?? Readable.from([]), waiting), { objectMode: false });
}

async function* contentOf(body: AsyncIterable<Uint8Array>, waiting: Waiting) {
  try {
    yield* partsOf(body, waiting);
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** Inactivity timeout of a request. */
interface Waiting {
  /** Aborts the request. */
  signal: AbortSignal;
  /** Starts or restarts the timeout. */
  begin(): void;
  end(): void;
}

/** Creates an inactivity timeout. A transfer of any size may take any time while data moves. */
function waitAtMost(ms: number): Waiting {
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  return {
    signal: giveUp.signal,
    begin() {
      end();
      timer = setTimeout(
        () => giveUp.abort(new Error(`timed out: no data to or from the media store for ${ms} ms`)),
        ms,
      );
      timer.unref();
    },
    end,
  };
}

/** Yields the parts of a body. The timeout is paused while the consumer is busy. */
async function* partsOf(body: AsyncIterable<Uint8Array>, waiting: Waiting) {
  try {
    waiting.begin();
    for await (const part of body) {
      waiting.end();
      yield part;
      waiting.begin();
    }
  } finally {
    waiting.end();
  }
}
