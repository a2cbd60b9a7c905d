/** Encodes a JSON value as a token that callers return unchanged. */
export const encodeToken = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Decodes a token of `encodeToken`; null for any other text. */
export function decodeToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return null;
  }
}
