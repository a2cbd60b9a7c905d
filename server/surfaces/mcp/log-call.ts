import { toApiError } from '../../kernel/api-error.ts';
import { logFailure } from '../http/error-reply.ts';
import type { McpRequest } from './mcp-request.ts';

/** What was asked for, by names that the server gave: never anything that the assistant sent. */
type CallTarget = { tool: string } | { resource: string } | { prompt: string };

interface LoggedCall {
  target: CallTarget;
  /** Whether broken rules of the input are `validation_failed`, as for a REST body. */
  writes?: boolean;
}

/** Runs what an assistant asked for and writes one log line about it. Throws nothing but `ApiError`s. */
export async function logCall<T>(
  request: McpRequest,
  { target, writes = false }: LoggedCall,
  run: () => Promise<T>,
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
    const answer = toApiError(error, writes);
    logFailure(log, answer, target);
    report(answer.errorCode);
    // Who signed in can be asked for more, which is told by HTTP.
    if (key.consent && answer.errorCode === 'insufficient_scope') request.refusal = answer;
    throw answer;
  }
}
