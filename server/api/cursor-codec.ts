/** Encodes a JSON value as a token that callers return unchanged. */
export const encodeToken = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Decodes a token of `encodeToken`; null for a text that is not such JSON. Callers validate the value, which may be any
 * JSON.
 */
export function decodeToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return null;
  }
}
