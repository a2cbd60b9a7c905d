export interface DecodedText {
  text: string;
  note: string | null;
}

const strict = new TextDecoder('utf-8', { fatal: true });

export const windows1252Note = 'Check special characters: the text is not UTF-8 and was read as Windows-1252';

/**
 * Decodes UTF-8, or UTF-16 with a byte-order mark, and then returns null as `note`. Other text is decoded as
 * Windows-1252, which `note` reports.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = utf16Of(bytes) ?? (isMarkedUtf8(bytes) ? 'utf-8' : null);
  if (marked) return { text: new TextDecoder(marked).decode(bytes), note: null };
  try {
    return { text: strict.decode(bytes), note: null };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), note: windows1252Note };
  }
}

function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

/** Number of bytes that suffice to recognize UTF-16 without a byte-order mark. */
const sampleBytes = 512;

/**
 * Encoding of UTF-16 without a byte-order mark; null for other text. Every list and export contains ASCII characters, of which
 * UTF-16 has a zero byte at every second position. Few zeros, or as many at odd as at even offsets, are damage.
 */
function unmarkedUtf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  const length = Math.min(bytes.length, sampleBytes);
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < 0.15 * length || Math.min(even, odd) > 0.05 * Math.max(even, odd)) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

const isMarkedUtf8 = ([first, second, third]: Uint8Array) =>
  first === 0xef && second === 0xbb && third === 0xbf;

/** Converts UTF-16 to UTF-8, so that content can be searched for ASCII bytes. Other content passes unchanged. */
export async function* withoutUtf16(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | null | undefined;
  let beginning: Buffer = Buffer.alloc(0);
  const begin = () => {
    const utf16 = utf16Of(beginning) ?? unmarkedUtf16Of(beginning);
    decoder = utf16 && new TextDecoder(utf16);
  };
  const decoded = (chunk: Buffer) => (decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk);
  for await (const chunk of chunks) {
    if (decoder !== undefined) yield decoded(chunk);
    else {
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length < sampleBytes) continue;
      begin();
      yield decoded(beginning);
    }
  }
  if (decoder === undefined && beginning.length > 0) {
    begin();
    yield decoded(beginning);
  }
  if (decoder) yield Buffer.from(decoder.decode());
}
