import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Coding = 'br' | 'gzip';

/** What is sent in the coding that its client takes. */
export interface Sendable {
  /** Of the plain bytes. */
  length: number;
  plain(): Buffer | string;
  as(coding: Coding): Promise<Buffer>;
}

/** Bytes that are sent again and again, and their compressed forms: each is made when somebody first takes it, and held once. */
export interface Coded extends Sendable {
  plain(): Buffer;
  /** What a socket takes of that form, or of the plain one for null; undefined of one that is not made yet. */
  written(coding: Coding | null): Buffer | string | undefined;
}

/** Node sends head and body in one write when both are text: of up to so many bytes, copying them costs less than a second write. */
const mostText = 16 * 1024;

type Form = Buffer | string;

/** One character for each byte: `latin1` gives the same bytes again. */
const toText = (form: Form): Form =>
  typeof form === 'string' || form.length > mostText ? form : form.toString('latin1');

const toBytes = (form: Form): Buffer => (typeof form === 'string' ? Buffer.from(form, 'latin1') : form);

export function coded(text: string | Buffer): Coded {
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

/** The bytes in memory of their own: Node makes small ones, and compressed ones, as parts of larger pieces, which stay with them. */
function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** What the bytes take of memory at most, roughly: both compressed forms together are smaller than the text. */
export const codedSize = ({ length }: Coded) => 2 * length;

/** Fewest bytes that are worth compressing: less fits into one packet anyway. */
const fewestBytes = 1_000;

/** The best coding for who sends this `Accept-Encoding`; null to send the bytes as they are. */
export function codingFor(
  accepted: string | string[] | undefined,
  { length }: Pick<Coded, 'length'>,
): Coding | null {
  if (accepted === undefined || length < fewestBytes) return null;
  const codings = String(accepted);
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(codings)) return 'br';
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(codings) ? 'gzip' : null;
}

/** The tag of bytes in a coding, by the tag of the bytes. */
export const tagOf = (etag: string, coding: Coding | null) =>
  coding ? `${etag.slice(0, -1)}-${coding}"` : etag;

/**
 * Bits of a window that holds all of so many bytes: for a larger one, both algorithms get and clear memory that they never
 * use, which takes longer than compressing a page.
 */
const windowBits = (length: number, { least, most }: { least: number; most: number }) =>
  Math.min(most, Math.max(least, Math.ceil(Math.log2(length + longestMatch))));

/** What zlib keeps free of its window. */
const longestMatch = 262;

/** Quality 5 takes a millisecond for what 11 takes fifty, and saves nearly as much. */
const brotliOptions = (length: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    // Up to this size of window Brotli has a smaller table, too.
    [constants.BROTLI_PARAM_LGWIN]: windowBits(length, { least: 16, most: 22 }),
  },
});

const gzipOptions = (length: number) => ({
  windowBits: windowBits(length, { least: 9, most: 15 }),
  memLevel: 7,
});

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** A text that is sent this once. */
export const sentOnce = (text: string): Sendable => ({
  length: Buffer.byteLength(text),
  plain: () => text,
  as: (coding) => compress[coding](Buffer.from(text)),
});

const compress = {
  br: (bytes: Buffer): Promise<Buffer> => brotliAsync(bytes, brotliOptions(bytes.length)),
  gzip: (bytes: Buffer): Promise<Buffer> => gzipAsync(bytes, gzipOptions(bytes.length)),
};
