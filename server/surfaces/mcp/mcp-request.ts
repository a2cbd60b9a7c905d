import type { FastifyBaseLogger } from 'fastify';
import type { ApiError } from '../../kernel/api-error.ts';
import type { SiteKey } from '../../kernel/callers.ts';
import type { Context } from '../../kernel/context.ts';

/** One HTTP request of an assistant: a single message, with the key that it came with. */
export interface McpRequest {
  ctx: Context;
  key: SiteKey;
  log: FastifyBaseLogger;
  headers: McpHeaders;
  /** Set by a handler when the whole HTTP request is to be refused: a limit is answered as 429, not inside a result. */
  refusal?: ApiError;
}

/** The headers that the protocol defines. */
export interface McpHeaders {
  'mcp-protocol-version'?: string | undefined;
  'mcp-method'?: string | undefined;
  'mcp-name'?: string | undefined;
}

/**
 * Whether the client's protocol version knows structured content. Versions are dates, so they compare as text. A request
 * that names none is answered as a current one: whoever calls by plain HTTP gets data, not text that holds data.
 */
export const knowsStructuredContent = ({ headers }: McpRequest) =>
  (headers['mcp-protocol-version'] ?? '2025-06-18') >= '2025-06-18';
