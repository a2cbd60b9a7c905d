import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Coding = 'br' | 'gzip';

/** Body that is sent in a coding that the client accepts. */
export interface ResponseBody {
  /** Number of uncompressed bytes. */
  length: number;
  plain(): Buffer | string;
  as(coding: Coding): Promise<Buffer>;
}

/** Body that is sent repeatedly. Each compressed form is created when first requested, and kept. */
export interface CompressedBody extends ResponseBody {
  plain(): Buffer;
  /**
   * Returns the form that a socket can write, or the uncompressed one for null. Undefined if the form was not created
   * yet.
   */
  written(coding: Coding | null): Buffer | string | undefined;
}

/**
 * Maximum size of a body that is kept as text, in bytes. Node sends head and body in one write if both are text. Up to
 * this size, copying costs less than a second write.
 */
const maxTextBytes = 16 * 1024;

type Form = Buffer | string;

/** Text with one character per byte. `latin1` converts it back to the same bytes. */
const toText = (form: Form): Form =>
  typeof form === 'string' || form.length > maxTextBytes ? form : form.toString('latin1');

const toBytes = (form: Form): Buffer => (typeof form === 'string' ? Buffer.from(form, 'latin1') : form);

export function createCompressedBody(text: string | Buffer): CompressedBody {
  let plain: Form = alone(Buffer.from(text));
  const { length } = plain;
  const made = new Map<Coding, Form>();
  const underWay = new Map<Coding, Promise<Buffer>>();
  const make = async (coding: Coding) => {
    try {
      const bytes = alone(await compress[coding](toBytes(plain)));
      made.set(coding, bytes);
      return bytes;
    } finally {
      underWay.delete(coding);
    }
  };
  return {
    length,
    plain: () => toBytes(plain),
    async as(coding) {
      const form = made.get(coding);
      if (form !== undefined) return toBytes(form);
      const pending = underWay.get(coding);
      if (pending) return pending;
      const making = make(coding);
      underWay.set(coding, making);
      return making;
    },
    written(coding) {
      const form = coding ? made.get(coding) : plain;
      if (form === undefined) return undefined;
      const text = toText(form);
      if (coding) made.set(coding, text);
      else plain = text;
      return text;
    },
  };
}

/**
 * Copies the bytes to memory of their own, if needed. Node allocates small and compressed buffers as parts of larger
 * blocks, which would stay in memory with them.
 */
function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** Estimates the maximum memory of a body, in bytes: both compressed forms together are smaller than the text. */
export const compressedBodySize = ({ length }: CompressedBody) => 2 * length;

/** Minimum size of a body that is compressed, in bytes. Smaller ones fit into one packet anyway. */
const minCompressedBytes = 1_000;

/**
 * Returns the best coding for this `Accept-Encoding`: Brotli, then gzip. Null to send the bytes uncompressed, as for
 * bodies below `minCompressedBytes`.
 */
export function codingFor(
  accepted: string | string[] | undefined,
  { length }: Pick<CompressedBody, 'length'>,
): Coding | null {
  if (accepted === undefined || length < minCompressedBytes) return null;
  const codings = String(accepted);
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(codings)) return 'br';
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(codings) ? 'gzip' : null;
}

/** Returns the ETag of a coding, given the ETag of the uncompressed bytes. */
export const tagOf = (etag: string, coding: Coding | null) =>
  coding ? `${etag.slice(0, -1)}-${coding}"` : etag;

/**
 * Returns the size of the compression window, in bits, that covers `length` bytes. With a larger one, both algorithms
 * allocate and clear memory that they never use. That takes longer than compressing a page.
 */
const windowBits = (length: number, { min, max }: { min: number; max: number }) =>
  Math.min(max, Math.max(min, Math.ceil(Math.log2(length + longestMatch))));

/** Part of the compression window that zlib reserves, in bytes. */
const longestMatch = 262;

/**
 * Returns the options to compress `length` bytes. Brotli quality 5 takes 1 ms where 11 takes 50 ms, and compresses nearly
 * as well.
 */
const brotliOptions = (length: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    // Minimum of 16 bits (64 KiB): for windows up to this size, Brotli also uses a smaller hash table.
    [constants.BROTLI_PARAM_LGWIN]: windowBits(length, { min: 16, max: 22 }),
  },
});

const gzipOptions = (length: number) => ({
  windowBits: windowBits(length, { min: 9, max: 15 }),
  memLevel: 7,
});

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Wraps a text that is sent once. Its compressed form is not kept. */
export const createUncachedBody = (text: string): ResponseBody => ({
  length: Buffer.byteLength(text),
  plain: () => text,
  as: (coding) => compress[coding](Buffer.from(text)),
});

const compress = {
  br: (bytes: Buffer): Promise<Buffer> => brotliAsync(bytes, brotliOptions(bytes.length)),
  gzip: (bytes: Buffer): Promise<Buffer> => gzipAsync(bytes, gzipOptions(bytes.length)),
};
