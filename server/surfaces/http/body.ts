import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../kernel/api-error.ts';

const jsonType = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i;

/** Reads a body that must be one JSON object in UTF-8 of at most `limitBytes`; `note` is given its bytes. Throws `invalid_request` or `payload_too_large`. */
export async function readJsonObject(
  request: IncomingMessage,
  limitBytes: number,
  note: (bytes: Buffer) => void = () => {},
): Promise<object> {
  refuseOtherTypes(request);
  const bytes = await readBytes(request, limitBytes);
  note(bytes);
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_request', 'invalid request body: expected a JSON object');
  }
  return value;
}

function refuseOtherTypes({ headers }: IncomingMessage) {
  const type = headers['content-type'] ?? '';
  if (!jsonType.test(type) || otherCharset.test(type)) {
    throw new ApiError(
      'invalid_request',
      'invalid request body: send JSON with Content-Type: application/json',
    );
  }
  const codings = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked'];
  if (codings.join().toLowerCase() !== 'identity,chunked') {
    throw new ApiError('invalid_request', 'invalid request body: send it uncompressed');
  }
}

async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  const body = announced > limitBytes ? null : await readUpTo(request, limitBytes);
  if (body === null)
    throw new ApiError('payload_too_large', `request body is larger than ${limitBytes} bytes`);
  return body;
}

/** Null when there is more. */
async function readUpTo(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Left at the limit, it must not be destroyed: that would close the connection before the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) return null;
    }
  } catch (cause) {
    throw new ApiError('invalid_request', 'invalid request body: it ended early', { cause });
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ApiError('invalid_request', 'invalid request body: not JSON in UTF-8', { cause });
  }
}
