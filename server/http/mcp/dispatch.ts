import {
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCResponse,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type StandardSchemaV1Sync,
  SUPPORTED_PROTOCOL_VERSIONS,
  specTypeSchemas,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { cutText } from '../../../shared/contract/cut-text.ts';
import { ApiError } from '../../api/api-error.ts';
import type { McpRequest } from './mcp-request.ts';
import { errorResponse, protocolErrorOf, withOwnMessages } from './protocol-error.ts';
import { createMcpServer } from './server.ts';
import type { McpSurface } from './tools.ts';

const JsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.string(),
});

/** A request as JSON-RPC has it. Its parameters are for its method to judge. */
type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** The request that `message` is; null for one that wants no answer. Throws `invalid_request` for what is no message. */
function requestOf(message: object): JsonRpcRequest | null {
  const { data } = JsonRpcRequest.safeParse(message);
  if (data) return data;
  if (isJSONRPCNotification(message) || isJSONRPCResponse(message)) return null;
  throw new ApiError('invalid_request', 'invalid request body: not a JSON-RPC 2.0 message');
}

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

const namedPlaces = 10;

/**
 * Refuses parameters that are not as the protocol wants them for the request's method, before the SDK does so with the
 * raw text of its validator. Returns null when they are, and for a method that is not served.
 */
function refusalOfParams(request: JsonRpcRequest): ApiError | null {
  const result = requests.get(request.method)?.['~standard'].validate(request);
  if (!result || !('issues' in result) || !result.issues) return null;
  const places = new Set(result.issues.map(({ path = [] }) => path.map(nameOf).join('.')));
  const named = [...places].slice(0, namedPlaces).map((place) => `${place}: is missing or malformed`);
  return new ApiError('invalid_request', named.join('; '));
}

const nameOf = (step: PropertyKey | { key: PropertyKey }) =>
  cutText(String(typeof step === 'object' ? step.key : step), 100);

/**
 * What the protocol answers to a message; an empty body to one that wants no answer. Throws `invalid_request` for a
 * message that is none of JSON-RPC's, and for a version that isn't served.
 */
export async function dispatch(surface: McpSurface, request: McpRequest, message: object) {
  const call = requestOf(message);
  if (!namesServedVersion(request) && !NamesVersion.safeParse(message).success) throw unsupportedVersion();
  if (call?.method === streamMethod) return { status: 404, body: errorResponse(call.id, noStreams) };
  const refusal = call && refusalOfParams(call);
  if (call && refusal) return { status: 200, body: errorResponse(call.id, protocolErrorOf(refusal)) };

  const wire = wireRequest(request);
  const isLegacy = await isLegacyRequest(wire, message);
  const response = await (isLegacy ? answerLegacy : answerModern)(surface, request, wire, message);
  const body = await response.text();
  const report = (sdkText: string) => request.log.error({ err: new Error(sdkText) }, 'assistant call failed');
  return { status: response.status, body: withOwnMessages(body, isLegacy, report) ?? body };
}

/** Version 2026-07-28: each request says by itself who asks and in which version. */
const answerModern = (surface: McpSurface, request: McpRequest, wire: Request, message: object) =>
  createMcpHandler(() => createMcpServer(surface, request), { legacy: 'reject' }).fetch(wire, {
    parsedBody: message,
  });

/** Older versions, without sessions: a request is answered whether or not an `initialize` came before. */
async function answerLegacy(surface: McpSurface, request: McpRequest, wire: Request, message: object) {
  const server = createMcpServer(surface, request);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(wire, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** The SDK is told what it insists on: answers here are JSON, whatever the client says it accepts. */
function wireRequest({ headers }: McpRequest): Request {
  const sent = Object.entries(headers).filter(
    (header): header is [string, string] => header[1] !== undefined,
  );
  return new Request('http://mcp/', {
    method: 'POST',
    headers: [
      ...sent,
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ],
  });
}

/** Opens a stream of changes, which a server without streams doesn't have. */
const streamMethod = 'subscriptions/listen';

const noStreams = new ProtocolError(ProtocolErrorCode.MethodNotFound, 'unknown method', {
  code: 'not_found',
});

const versions = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

function namesServedVersion({ headers }: McpRequest): boolean {
  const version = headers['mcp-protocol-version'];
  return version === undefined || versions.includes(version);
}

/** A message that names its version by itself is told of the served versions in the form of its own. */
const NamesVersion = z.looseObject({
  params: z.looseObject({ _meta: z.looseObject({ [PROTOCOL_VERSION_META_KEY]: z.string() }) }),
});

const unsupportedVersion = () =>
  new ApiError('invalid_request', `unsupported protocol version; supported: ${versions.join(', ')}`);
