import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, type ServerResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ErrorCode as ApiErrorCode } from '../../../shared/contract/errors.ts';
import { ApiError, toApiError } from '../../kernel/errors.ts';

type RequestSchema = z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodType }>;

/**
 * Answers the method that `schema` is of. Parameters that don't fit it are refused as `InvalidParams`, which the SDK
 * by itself would call an internal error, and our errors become the protocol's of the same meaning.
 */
export function answer<S extends RequestSchema>(
  server: Server,
  schema: S,
  handler: (params: z.output<S>['params']) => ServerResult | Promise<ServerResult>,
) {
  const unparsed = z.object({ method: z.literal(schema.shape.method.value), params: z.unknown().optional() });
  server.setRequestHandler(unparsed, async ({ params }) => {
    try {
      return await handler(schema.shape.params.parse(params) as z.output<S>['params']);
    } catch (error) {
      throw new ProtocolError(toProtocol(error));
    }
  });
}

const toProtocol = (error: unknown): ApiError =>
  error instanceof z.ZodError
    ? new ApiError('invalid_request', z.prettifyError(error))
    : toApiError(error, true);

/** An error of the protocol. The SDK's own puts "MCP error", and its number, into the message. */
class ProtocolError extends Error {
  readonly code: number;
  readonly data: { code: ApiErrorCode };

  constructor({ errorCode, message }: ApiError) {
    super(message);
    this.code = codes[errorCode] ?? ErrorCode.InvalidParams;
    this.data = { code: errorCode };
  }
}

/** "Resource not found", which the SDK has no name for. */
const resourceNotFound = -32002;

const codes: Partial<Record<ApiErrorCode, number>> = {
  not_found: resourceNotFound,
  internal_error: ErrorCode.InternalError,
};
