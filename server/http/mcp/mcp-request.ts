import type { FastifyBaseLogger } from 'fastify';
import { type ApiError, toApiError } from '../../api/api-error.ts';
import type { SiteKey } from '../../api/callers.ts';
import type { Context } from '../../api/context.ts';
import { logFailure } from '../error-reply.ts';

/**
 * Context of an assistant's HTTP request: its key, logger and headers. The message, one per request, is passed
 * separately.
 */
export interface McpRequest {
  ctx: Context;
  key: SiteKey;
  log: FastifyBaseLogger;
  headers: McpHeaders;
  /** Set by a handler to refuse the whole HTTP request: a rate limit is answered with 429, not inside a result. */
  refusal?: ApiError;
}

export interface McpHeaders {
  'mcp-protocol-version'?: string | undefined;
  'mcp-method'?: string | undefined;
  'mcp-name'?: string | undefined;
}

/**
 * True if the client's protocol version supports structured content. Versions are dates, so they compare as
 * text. Without a version, plain HTTP clients get structured data too.
 */
export const knowsStructuredContent = ({ headers }: McpRequest) =>
  (headers['mcp-protocol-version'] ?? '2025-06-18') >= '2025-06-18';

/**
 * Runs a call and logs it in one line, with names from `target` that the server chose, never the assistant. If
 * `isWrite`, broken rules of the input are `validation_failed`, as for a REST body. Throws only `ApiError`s.
 */
export async function logCall<T>(
  request: McpRequest,
  target: { tool: string } | { resource: string } | { prompt: string },
  run: () => Promise<T>,
  isWrite = false,
): Promise<T> {
  const { log, key } = request;
  const startedAt = performance.now();
  const report = (outcome: string) => {
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    log.info({ ...target, key_prefix: key.key_prefix, outcome, ms }, 'assistant call');
  };
  try {
    const result = await run();
    report('ok');
    return result;
  } catch (error) {
    const answer = toApiError(error, isWrite);
    logFailure(log, answer, target);
    report(answer.errorCode);
    // A person who signed in can grant more scopes; clients request that after an HTTP 403.
    if (key.consent && answer.errorCode === 'insufficient_scope') request.refusal = answer;
    throw answer;
  }
}
