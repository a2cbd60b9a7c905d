import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { AwsClient } from 'aws4fetch';
import {
  type ByteRange,
  MediaAwayError,
  MediaFullError,
  type ObjectStore,
  partsOfKey,
  requireLength,
} from './store.ts';

/** A request has failed for which nothing moves for so long, in milliseconds. */
const inactivityMs = 60_000;

/** A bucket of an S3-compatible service, as `MEDIA_URL` names it. */
interface Bucket {
  /** With the bucket, and what is put before every key, in its path; a slash at its end. */
  address: string;
  client: AwsClient;
}

/** A part of a path as S3 signs it: but for the unreserved characters of RFC 3986 all of it is escaped. */
const escaped = (part: string) =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Reads `https://KEY:SECRET@s3.example.com/bucket/prefix?region=eu-west-1`. Key and secret are percent-encoded; the region
 * is `us-east-1` when it is left out, which most services take.
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

/** Keeps media in a bucket. What is put there is sent as it comes, and is there once the service says so. */
export function createS3Store(mediaUrl: string, { stalledMs } = { stalledMs: inactivityMs }): ObjectStore {
  const bucket = readBucket(mediaUrl);
  const ask: Ask = async (address, init, waiting = waitAtMost(stalledMs)) => {
    const signed = await bucket.client.sign(address, init);
    waiting.begin();
    // Not to `sign`: a request made of one with a signal no longer hears of it once garbage has been collected.
    const answer = await fetch(signed, { signal: waiting.signal }).catch((cause: unknown) => {
      waiting.end();
      throw unreachable(cause);
    });
    const asked = { answer, waiting };
    if (answer.ok) return asked;
    const code = await readCode(asked);
    if (answer.status === 404 && code === 'NoSuchKey') return null;
    const told = `${init.method} returned ${answer.status}${code && ` (${code})`}`;
    if (answer.status === 507 || fullCodes.has(code))
      throw new MediaFullError(`the media store is full: ${told}`);
    throw new MediaAwayError(told);
  };
  const addressOf = (key: string) => bucket.address + partsOfKey(key).map(escaped).join('/');
  return {
    put: async (key, content, bytes) => put(ask, addressOf(key), content, bytes, waitAtMost(stalledMs)),
    get: async (key, range) => get(ask, addressOf(key), range),
    async delete(key) {
      const asked = await ask(addressOf(key), { method: 'DELETE' });
      if (asked) await drop(asked);
    },
    // What was sent in part is nowhere.
    removeUnfinished: async () => {},
  };
}

/** An answer whose body is still to come. */
interface S3Request {
  answer: Response;
  waiting: Waiting;
}

/** Null when the service says that there is no such object: whoever else answers 404 doesn't know. */
type Ask = (
  address: string,
  init: RequestInit & { duplex?: 'half' },
  waiting?: Waiting,
) => Promise<S3Request | null>;

/** What services say when an account or a bucket has all that it may. */
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientCapacity']);

const unreachable = (cause: unknown) =>
  new MediaAwayError(cause instanceof Error ? cause.message : 'connection failed', { cause });

/** Longest answer in which a code is looked for. */
const longestRefusal = 16_384;

/** The code of a refusal; empty for what is no refusal of S3. */
async function readCode({ answer, waiting }: S3Request): Promise<string> {
  let said = '';
  try {
    for await (const part of partsOf(answer.body ?? Readable.from([]), waiting)) {
      said += Buffer.from(part).toString('latin1');
      if (said.length > longestRefusal) break;
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
  ask: Ask,
  address: string,
  content: AsyncIterable<Buffer>,
  bytes: number,
  waiting: Waiting,
) {
  // What is wrong with the content is told by this error, and not by whatever the request then fails with.
  const failed = Promise.withResolvers<never>();
  const whole = async function* () {
    try {
      for await (const chunk of requireLength(content, bytes)) {
        waiting.begin();
        // It may be sent after the next was asked for.
        yield Buffer.from(chunk);
      }
    } catch (error) {
      failed.reject(error);
      throw error;
    }
  };
  // A stream of the web, whose types in Node and in the browser differ; `fetch` takes it.
  const body = ReadableStream.from(whole()) as BodyInit;
  const headers = { 'Content-Length': String(bytes), 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const asked = await Promise.race([
    failed.promise,
    ask(address, { method: 'PUT', headers, body, duplex: 'half' }, waiting),
  ]);
  if (!asked) throw new MediaAwayError('PUT returned no such key');
  await drop(asked);
}

async function get(ask: Ask, address: string, range: ByteRange | undefined): Promise<Readable | null> {
  const headers = range && { Range: `bytes=${range.first}-${range.last}` };
  const asked = await ask(address, { method: 'GET', ...(headers && { headers }) });
  if (!asked) return null;
  const { answer, waiting } = asked;
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

/** Waits for another service, and gives up when nothing comes or goes for too long. */
interface Waiting {
  /** Aborts what waits. */
  signal: AbortSignal;
  /** The other one has to say something from now on: once more, when it already had to. */
  begin(): void;
  end(): void;
}

/** However large a file is, it may take its time while it moves. */
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

/** The parts of an answer's body. While their reader does something else, nobody waits. */
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
