import { toApiError } from '../../kernel/api-error.ts';
import type { McpRequest } from './mcp-request.ts';

/** What was asked for, by names that the server gave: never anything that the assistant sent. */
type Asked = { tool: string } | { resource: string } | { prompt: string };

interface Audit {
  asked: Asked;
  /** Whether broken rules of the input are `validation_failed`, as for a REST body. */
  writes?: boolean;
}

/** Runs what an assistant asked for and writes one log line about it. Throws nothing but `ApiError`s. */
export async function audited<T>(
  { log, key }: McpRequest,
  { asked, writes = false }: Audit,
  run: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const report = (outcome: string) => {
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    log.info({ ...asked, key_prefix: key.key_prefix, outcome, ms }, 'assistant call');
  };
  try {
    const result = await run();
    report('ok');
    return result;
  } catch (error) {
    const answer = toApiError(error, writes);
    if (answer.status >= 500) log.error({ err: answer.cause ?? answer, ...asked }, answer.message);
    report(answer.errorCode);
    throw answer;
  }
}
