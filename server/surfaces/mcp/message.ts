import {
  isJSONRPCNotification,
  isJSONRPCResponse,
  type StandardSchemaV1Sync,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { cutText } from '../../../shared/contract/cut-text.ts';
import { ApiError } from '../../kernel/api-error.ts';

const JsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.string(),
});

/** A request as JSON-RPC has it. Its parameters are for its method to judge. */
export type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** The request that `message` is; null for one that wants no answer. Throws `invalid_request` for what is no message. */
export function requestOf(message: object): JsonRpcRequest | null {
  const { data } = JsonRpcRequest.safeParse(message);
  if (data) return data;
  if (isJSONRPCNotification(message) || isJSONRPCResponse(message)) return null;
  throw new ApiError('invalid_request', 'invalid request body: not a JSON-RPC 2.0 message');
}

/** What the requests that are served must look like. */
const requests = new Map<string, StandardSchemaV1Sync>([
  ['initialize', specTypeSchemas.InitializeRequest],
  ['ping', specTypeSchemas.PingRequest],
  ['server/discover', specTypeSchemas.DiscoverRequest],
  ['tools/list', specTypeSchemas.ListToolsRequest],
  ['tools/call', specTypeSchemas.CallToolRequest],
  ['resources/list', specTypeSchemas.ListResourcesRequest],
  ['resources/templates/list', specTypeSchemas.ListResourceTemplatesRequest],
  ['resources/read', specTypeSchemas.ReadResourceRequest],
  ['prompts/list', specTypeSchemas.ListPromptsRequest],
  ['prompts/get', specTypeSchemas.GetPromptRequest],
]);

/** Most places that a refusal names. */
const namedPlaces = 10;

/**
 * Refuses parameters that are not as the protocol wants them for the request's method, before the SDK does so with the
 * raw text of its validator. Returns null when they are, and for a method that is not served.
 */
export function refusalOfParams(request: JsonRpcRequest): ApiError | null {
  const result = requests.get(request.method)?.['~standard'].validate(request);
  if (!result || !('issues' in result) || !result.issues) return null;
  const places = new Set(result.issues.map(({ path = [] }) => path.map(nameOf).join('.')));
  const named = [...places].slice(0, namedPlaces).map((place) => `${place}: is missing or malformed`);
  return new ApiError('invalid_request', named.join('; '));
}

const nameOf = (step: PropertyKey | { key: PropertyKey }) =>
  cutText(String(typeof step === 'object' ? step.key : step), 100);
