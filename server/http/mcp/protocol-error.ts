import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ErrorCode } from '../../../shared/contract/errors.ts';
import { toApiError } from '../../api/api-error.ts';

/** Code for a missing resource before version 2026-07-28; later versions use invalid parameters. */
const resourceNotFound = -32_002;

/** Code for a header that is missing or differs from the message; the SDK exports no name for it. */
const headerMismatch = -32_020;

const codes: Partial<Record<ErrorCode, number>> = { not_found: resourceNotFound };

/** Converts a failure outside a tool to a protocol error, with our code as `data.code`. */
export function protocolErrorOf(failure: unknown): ProtocolError {
  const { errorCode, status, message } = toApiError(failure, false);
  const usual = status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(codes[errorCode] ?? usual, message, { code: errorCode });
}

/** Returns a JSON-RPC error response, serialized as JSON, for a request that does not reach the SDK. `id` is that of the request. */
export const errorResponse = (id: string | number, { code, message, data }: ProtocolError) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });

/** Codes and messages for refusals by the SDK, whose own texts quote its validator and internals. */
const refusals = new Map<number, readonly [code: ErrorCode, message: string]>([
  [ProtocolErrorCode.InvalidRequest, ['invalid_request', 'the message is not a JSON-RPC request']],
  [ProtocolErrorCode.MethodNotFound, ['not_found', 'unknown method']],
  [
    ProtocolErrorCode.InvalidParams,
    ['invalid_request', 'params: missing or invalid for this protocol version'],
  ],
  [ProtocolErrorCode.UnsupportedProtocolVersion, ['invalid_request', 'unsupported protocol version']],
  [headerMismatch, ['invalid_request', 'an MCP header is missing or does not match the message']],
]);

/** Error data for clients: our code, or the versions to choose from. */
const ErrorData = z.object({
  code: z.string().optional(),
  supported: z.array(z.string()).optional(),
  requested: z.string().optional(),
});

const ErrorResponse = z.looseObject({
  error: z.looseObject({
    code: z.int(),
    message: z.string(),
    data: ErrorData.optional().catch(undefined),
  }),
});

/**
 * Replaces the SDK's messages in an error response. Returns null if `body` is not an error or already has our message.
 * `isLegacy` is true for versions before 2026-07-28. `report` receives the SDK's text of an unexpected failure.
 */
export function withOwnMessages(
  body: string,
  isLegacy: boolean,
  report: (sdkText: string) => void,
): string | null {
  // This check avoids parsing results, which are large.
  if (!body.includes('"error":{')) return null;
  const { data: response } = ErrorResponse.safeParse(JSON.parse(body));
  if (!response) return null;
  const { error } = response;
  if (error.data?.code === undefined) {
    const [code, message] = refusals.get(error.code) ?? ['internal_error', 'internal error'];
    if (code === 'internal_error') report(error.message);
    return JSON.stringify({ ...response, error: { ...error, message, data: { ...error.data, code } } });
  }
  if (!isLegacy || error.code !== ProtocolErrorCode.InvalidParams || error.data.code !== 'not_found')
    return null;
  return JSON.stringify({ ...response, error: { ...error, code: resourceNotFound } });
}
