import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

const jsonType = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i;

/** Reads a body that must be one JSON object in UTF-8 of at most `limitBytes`. Throws `invalid_request` or `payload_too_large`. */
export async function readJsonObject(request: IncomingMessage, limitBytes: number): Promise<object> {
  const type = request.headers['content-type'] ?? '';
  if (!jsonType.test(type) || otherCharset.test(type)) {
    throw new ApiError(
      'invalid_request',
      'invalid request body: send JSON with Content-Type: application/json',
    );
  }
  const value = parseJson(await readBytes(request, limitBytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_request', 'invalid request body: expected a JSON object');
  }
  return value;
}

async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let size = announced > limitBytes ? announced : 0;
  if (size === 0) {
    for await (const chunk of request) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) break;
    }
  }
  if (size > limitBytes)
    throw new ApiError('payload_too_large', `request body is larger than ${limitBytes} bytes`);
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ApiError('invalid_request', 'invalid request body: not JSON in UTF-8', { cause });
  }
}
