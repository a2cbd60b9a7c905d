import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { call } from '../../kernel/call.ts';
import { ApiError } from '../../kernel/errors.ts';
import { audited, type McpRequest } from './mcp-request.ts';
import type { McpSurface } from './surface.ts';
import type { Tool } from './tools.ts';

interface ToolCall {
  name: string;
  arguments?: unknown;
}

/**
 * Calls a tool: its procedure checks the key once more, with the tool's scope, counts writes and parses the input. What
 * it refuses is told as a tool error with the body that REST would have sent, so that the assistant can read the reason.
 * Throws `invalid_request` for a tool that isn't.
 */
export async function callTool(
  { tools }: McpSurface,
  request: McpRequest,
  { name, arguments: input = {} }: ToolCall,
): Promise<CallToolResult> {
  const tool = tools.get(name);
  if (!tool) return audited(request, { asked: { tool: 'unknown' } }, refuseUnknown);
  const audit = { asked: { tool: name }, writes: tool.procedure.type === 'mutation' };
  try {
    const text = await audited(request, audit, () => run(request, tool, input));
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.errorCode === 'rate_limited') request.refusal = error;
    return { content: [{ type: 'text', text: JSON.stringify(error.body) }], isError: true };
  }
}

async function refuseUnknown(): Promise<never> {
  throw new ApiError('invalid_request', 'there is no such tool');
}

/** The answer as REST's JSON. */
async function run({ ctx }: McpRequest, { procedure }: Tool, input: unknown): Promise<string> {
  return JSON.stringify(await call(procedure, { ctx, getRawInput: async () => input }));
}
