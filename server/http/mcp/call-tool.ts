import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/calls/call.ts';
import { procedureInputOf, shorten } from './list-tool.ts';
import { knowsStructuredContent, logCall, type McpRequest } from './mcp-request.ts';
import type { McpSurface, Tool } from './tools.ts';

/**
 * Calls a tool: its procedure checks the key again, with the tool's scope, counts writes and parses the input. Refusals
 * become a tool error with the REST body, so that the assistant can read the reason. Throws `invalid_request` for an
 * unknown tool.
 */
export async function callTool(
  { tools }: McpSurface,
  request: McpRequest,
  { name, arguments: input = {} }: { name: string; arguments?: object | undefined },
): Promise<CallToolResult> {
  const tool = tools.get(name);
  if (!tool) return logCall(request, { tool: 'unknown' }, refuseUnknown);
  const isWrite = tool.procedure.type === 'mutation';
  try {
    const answer = await logCall(request, { tool: name }, () => run(request, tool, input), isWrite);
    const json = JSON.stringify(answer);
    // Popular agent kits show only the text to their model, whatever the version of the protocol.
    return {
      content: tool.list && json.length > comfortableLength ? text(json, howToNarrow) : text(json),
      ...(knowsStructuredContent(request) && { structuredContent: answer }),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.errorCode === 'rate_limited') request.refusal = error;
    return { content: text(JSON.stringify(error.body)), isError: true };
  }
}

async function refuseUnknown(): Promise<never> {
  throw new ApiError('invalid_request', 'unknown tool');
}

/** Length of a list in characters above which the answer includes advice to narrow it. Models handle longer texts poorly. */
const comfortableLength = 40_000;

const howToNarrow =
  'This list is long. To get a shorter one, name the fields you need, lower limit or per_page, or add filters.';

const text = (...parts: string[]) => parts.map((part) => ({ type: 'text' as const, text: part }));

const Answer = z.record(z.string(), z.unknown());

/**
 * Calls the procedure and returns its answer in REST's JSON form. For a list, it removes fields that were not requested,
 * are long or are implied (see `shorten`).
 */
async function run({ ctx }: McpRequest, { procedure, list, definition }: Tool, given: object) {
  // The audience of a newsletter must be explicit: a missing value means everyone, and sending cannot be undone.
  const input = procedure.meta.mcp?.access === 'send' ? given : withoutNulls(given, definition.inputSchema);
  const procedureInput = list ? procedureInputOf(list, input) : input;
  const getRawInput = async () => {
    if (isUpdate(definition)) requireChange(given, input, definition.inputSchema);
    return procedureInput;
  };
  const output = await call(procedure, { ctx, getRawInput });
  const answer = Answer.parse(JSON.parse(JSON.stringify(output)));
  return list ? shorten(list, answer, input) : answer;
}

type InputSchema = Tool['definition']['inputSchema'];

/**
 * Removes null arguments, which agent kits send for each one that their model left out. Nulls that the tool's schema
 * offers stay. So do unknown arguments, which the contract refuses.
 */
const withoutNulls = (given: object, { properties = {} }: InputSchema) =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== null || !Object.hasOwn(properties, name) || offersNull(properties[name]),
    ),
  );

const leftAsIs = 'null does not change this field, and no other change was given';

const isUpdate = ({ name }: Tool['definition']) => name.startsWith('update_');

/**
 * Throws `validation_failed` if an update contains no change. Otherwise the assistant would report to its user that the
 * record was updated.
 */
function requireChange(given: object, input: object, { required = [] }: InputSchema) {
  const names = Object.keys(input);
  if (names.length !== required.length || !required.every((name) => names.includes(name))) return;
  const nulls = Object.keys(given).filter((name) => !names.includes(name));
  if (nulls.length === 0)
    throw new ApiError('validation_failed', 'contains no change: give at least one field');
  const fields = nulls.map((path) => ({ path, message: leftAsIs }));
  throw new ApiError('validation_failed', `${nulls.join(', ')}: ${leftAsIs}`, { fields });
}

const Offer = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
});

function offersNull(schema: unknown): boolean {
  const { type = [], anyOf = [] } = Offer.safeParse(schema).data ?? {};
  return [type].flat().includes('null') || anyOf.some(offersNull);
}
