import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Coding = 'br' | 'gzip';

/** Bytes that are sent again and again, and their compressed forms: each is made when somebody first takes it. */
export interface Coded {
  plain: Buffer;
  as(coding: Coding): Promise<Buffer>;
  /** What a socket takes of that form, or of the plain one for null; undefined of one that is not made yet. */
  written(coding: Coding | null): Buffer | string | undefined;
}

/** Node sends head and body in one write when both are text: of up to so many bytes, copying them costs less than a second write. */
const mostText = 16 * 1024;

/** One character for each byte: `latin1` gives the same bytes again. */
const asText = (bytes: Buffer) => (bytes.length <= mostText ? bytes.toString('latin1') : bytes);

export function coded(plain: Buffer): Coded {
  const forms = new Map<Coding, Promise<Buffer>>();
  const made = new Map<Coding | null, Buffer | string>();
  return {
    plain,
    as(coding) {
      const known = forms.get(coding);
      if (known) return known;
      const form = compress[coding](plain);
      form.then(
        (bytes) => made.set(coding, asText(bytes)),
        () => {},
      );
      forms.set(coding, form);
      return form;
    },
    written(coding) {
      const known = made.get(coding);
      if (known !== undefined || coding) return known;
      const text = asText(plain);
      made.set(null, text);
      return text;
    },
  };
}

/** What the bytes take of memory at most, roughly: both compressed forms together are smaller than the text. */
export const codedSize = ({ plain }: Coded) => 2 * plain.length;

/** Fewest bytes that are worth compressing: less fits into one packet anyway. */
const fewestBytes = 1_000;

/** The best coding for who sends this `Accept-Encoding`; null to send the bytes as they are. */
export function codingFor(accepted: string | string[] | undefined, { plain }: Coded): Coding | null {
  if (accepted === undefined || plain.length < fewestBytes) return null;
  const codings = String(accepted);
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(codings)) return 'br';
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(codings) ? 'gzip' : null;
}

/** The tag of bytes in a coding, by the tag of the bytes. */
export const tagOf = (etag: string, coding: Coding | null) =>
  coding ? `${etag.slice(0, -1)}-${coding}"` : etag;

/** Quality 5 takes a millisecond for what 11 takes fifty, and saves nearly as much. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

const compress = {
  br: (bytes: Buffer): Promise<Buffer> => brotliAsync(bytes, brotliOptions),
  gzip: (bytes: Buffer): Promise<Buffer> => gzipAsync(bytes),
};
