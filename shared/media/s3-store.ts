import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { partsOf, type Waiting, waitAtMost } from './patience.ts';
import { requireLength } from './required-length.ts';
import { type ByteRange, type MediaStore, partsOfKey } from './store.ts';

/** A request has failed for which nothing moves for so long, in milliseconds. */
const patienceMs = 60_000;

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
  if (parts.length === 0) throw new Error('MEDIA_URL: expected the name of a bucket as its path');
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
export function createS3Store(mediaUrl: string, { stalledMs } = { stalledMs: patienceMs }): MediaStore {
  const bucket = readBucket(mediaUrl);
  const ask: Ask = async (address, init, waiting = waitAtMost(stalledMs)) => {
    const signed = await bucket.client.sign(address, init);
    waiting.begin();
    // Not to `sign`: a request made of one with a signal no longer hears of it once garbage has been collected.
    const answer = await fetch(signed, { signal: waiting.signal }).catch((error) => {
      waiting.end();
      throw error;
    });
    const asked = { answer, waiting };
    if (answer.ok || answer.status === 404) return asked;
    await drop(asked);
    throw new Error(`the media store answered ${answer.status} to ${init.method}`);
  };
  const addressOf = (key: string) => bucket.address + partsOfKey(key).map(escaped).join('/');
  return {
    put: async (key, content, bytes) =>
      put(ask, addressOf(key), { content, bytes, waiting: waitAtMost(stalledMs) }),
    get: async (key, range) => get(ask, addressOf(key), range),
    async delete(key) {
      await drop(await ask(addressOf(key), { method: 'DELETE' }));
    },
    // What was sent in part is nowhere.
    removeUnfinished: async () => {},
  };
}

/** An answer whose body is still to come. */
interface Asked {
  answer: Response;
  waiting: Waiting;
}

type Ask = (address: string, init: RequestInit & { duplex?: 'half' }, waiting?: Waiting) => Promise<Asked>;

async function drop({ answer, waiting }: Asked) {
  waiting.end();
  await answer.body?.cancel();
}

interface Sent {
  content: Readable;
  bytes: number;
  waiting: Waiting;
}

async function put(ask: Ask, address: string, { content, bytes, waiting }: Sent) {
  const whole = requireLength(bytes);
  // What is wrong with the content is told by the error below, and not by whatever the request then fails with.
  const failed = new Promise<never>((_, reject) => {
    content.once('error', reject);
    whole.once('error', reject);
  });
  content
    .on('error', (error) => whole.destroy(error))
    .on('data', waiting.begin)
    .pipe(whole);
  // A stream of the web, whose types in Node and in the browser differ; `fetch` takes it.
  const body = Readable.toWeb(whole) as BodyInit;
  const headers = { 'Content-Length': String(bytes), 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const asked = await Promise.race([
    failed,
    ask(address, { method: 'PUT', headers, body, duplex: 'half' }, waiting),
  ]);
  await drop(asked);
  if (asked.answer.status === 404) throw new Error('the media store has no such bucket');
}

async function get(ask: Ask, address: string, range: ByteRange | undefined): Promise<Readable | null> {
  const headers = range && { Range: `bytes=${range.first}-${range.last}` };
  const asked = await ask(address, { method: 'GET', ...(headers && { headers }) });
  const { answer, waiting } = asked;
  if (answer.status === 404 || !answer.body) {
    await drop(asked);
    return null;
  }
  waiting.end();
  return Readable.from(partsOf(answer.body, waiting), { objectMode: false });
}
