import { safeParseJson } from '../../shared/runtime/parse-json.ts';

/** Encodes a JSON value as a token that callers return unchanged. */
export const encodeToken = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Decodes a token of `encodeToken`; undefined for a text that is not such JSON. Callers validate the value, which may be
 * any JSON.
 */
export const decodeToken = (token: string) => safeParseJson(Buffer.from(token, 'base64url').toString());
