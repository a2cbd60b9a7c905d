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

/** JSON-RPC request. Its method validates the parameters. */
type JsonRpcRequest = z.infer<typeof JsonRpcRequest>;

/** Parses a request; null for a message that expects no answer. Throws `invalid_request` for anything else. */
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

const namedFiles = 10;

/**
 * Checks the parameters of a request with the protocol's schema, before the SDK would return the raw text of its
 * validator. Returns null if they are valid or the method is unknown.
 */
function refusalOfParams(request: JsonRpcRequest): ApiError | null {
  const result = requests.get(request.method)?.['~standard'].validate(request);
  if (!result || !('issues' in result) || !result.issues) return null;
  const paths = new Set(result.issues.map(({ path = [] }) => path.map(nameOf).join('.')));
  const named = [...paths].slice(0, namedFiles).map((path) => `${path}: is missing or malformed`);
  return new ApiError('invalid_request', named.join('; '));
}

const nameOf = (step: PropertyKey | { key: PropertyKey }) =>
  cutText(String(typeof step === 'object' ? step.key : step), 100);

/**
 * Answers a message as the protocol requires; the body is empty if no answer is expected. Throws `invalid_request` for
 * a message that is not JSON-RPC, and for an unsupported version.
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

/** Answers version 2026-07-28, in which each request names its client and version. */
const answerModern = (surface: McpSurface, request: McpRequest, wire: Request, message: object) =>
  createMcpHandler(() => createMcpServer(surface, request), { legacy: 'reject' }).fetch(wire, {
    parsedBody: message,
  });

/** Answers older versions, without sessions: no `initialize` is required before a request. */
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

/** Creates the request that the SDK requires: answers are always JSON, whatever the client accepts. */
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

/** Method that opens a stream of changes. This server has no streams. */
const streamMethod = 'subscriptions/listen';

const noStreams = new ProtocolError(ProtocolErrorCode.MethodNotFound, 'unknown method', {
  code: 'not_found',
});

const versions = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

function namesServedVersion({ headers }: McpRequest): boolean {
  const version = headers['mcp-protocol-version'];
  return version === undefined || versions.includes(version);
}

/** Message that names its version in the body. The SDK answers it with the supported versions. */
const NamesVersion = z.looseObject({
  params: z.looseObject({ _meta: z.looseObject({ [PROTOCOL_VERSION_META_KEY]: z.string() }) }),
});

const unsupportedVersion = () =>
  new ApiError('invalid_request', `unsupported protocol version; supported: ${versions.join(', ')}`);
