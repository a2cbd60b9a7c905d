/** Encodes a JSON value as a token that callers return unchanged. */
export const encodeWord = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Decodes a token of `encodeWord`; null for any other text. */
export function decodeWord(word: string): unknown {
  try {
    return JSON.parse(Buffer.from(word, 'base64url').toString());
  } catch {
    return null;
  }
}
