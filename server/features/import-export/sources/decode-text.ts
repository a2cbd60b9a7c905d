/** Text of a file, and what there is to say of its encoding. */
export interface DecodedText {
  text: string;
  note: string | null;
}

const strict = new TextDecoder('utf-8', { fatal: true });

/** UTF-8, unless a byte-order mark says otherwise; what is neither was written by an old program in windows-1252. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const marked = utf16Of(bytes) ?? (isMarkedUtf8(bytes) ? 'utf-8' : null);
  if (marked) return { text: new TextDecoder(marked).decode(bytes), note: null };
  try {
    return { text: strict.decode(bytes), note: null };
  } catch {
    return {
      text: new TextDecoder('windows-1252').decode(bytes),
      note: 'it is not UTF-8, so it was read as windows-1252',
    };
  }
}

function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

const isMarkedUtf8 = ([first, second, third]: Uint8Array) =>
  first === 0xef && second === 0xbb && third === 0xbf;

/** The same content with UTF-16 made UTF-8, so that its marks can be looked for byte by byte; all else as it is. */
export async function* withoutUtf16(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | null | undefined;
  for await (const chunk of chunks) {
    if (decoder === undefined) {
      const utf16 = utf16Of(chunk);
      decoder = utf16 && new TextDecoder(utf16);
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (decoder) yield Buffer.from(decoder.decode());
}
