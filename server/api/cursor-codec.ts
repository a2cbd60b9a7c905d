/** Any JSON value as one word that callers hand back unread. */
export const encodeWord = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The value in a word made by `encodeWord`; null for any other word. */
export function decodeWord(word: string): unknown {
  try {
    return JSON.parse(Buffer.from(word, 'base64url').toString());
  } catch {
    return null;
  }
}
