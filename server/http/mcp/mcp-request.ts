import type { FastifyBaseLogger } from 'fastify';
import { type ApiError, toApiError } from '../../api/api-error.ts';
import type { SiteKey } from '../../api/callers.ts';
import type { Context } from '../../api/context.ts';
import { logFailure } from '../error-reply.ts';

/** One HTTP request of an assistant: a single message, with the key that it came with. */
export interface McpRequest {
  ctx: Context;
  key: SiteKey;
  log: FastifyBaseLogger;
  headers: McpHeaders;
  /** Set by a handler when the whole HTTP request is to be refused: a limit is answered as 429, not inside a result. */
  refusal?: ApiError;
}

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

/**
 * Runs a call and logs it in one line, with names from `target` that the server chose, never the assistant. If `isWrite`, broken
 * rules of the input are `validation_failed`, as for a REST body. Throws only `ApiError`s.
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
    // Who signed in can be asked for more, which is told by HTTP.
    if (key.consent && answer.errorCode === 'insufficient_scope') request.refusal = answer;
    throw answer;
  }
}
