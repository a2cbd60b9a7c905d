import {
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ApiError } from '../../kernel/api-error.ts';
import type { McpRequest } from './mcp-request.ts';
import { refusalOfParams, requestOf } from './message.ts';
import { errorResponse, protocolErrorOf, withOwnMessages } from './protocol-error.ts';
import { createMcpServer } from './server.ts';
import type { McpSurface } from './surface.ts';

interface Answer {
  status: number;
  body: string;
}

/**
 * What the protocol answers to a message; an empty body to one that wants no answer. Throws `invalid_request` for a
 * message that is none of JSON-RPC's, and for a version that isn't served.
 */
export async function dispatch(surface: McpSurface, request: McpRequest, message: object): Promise<Answer> {
  const call = requestOf(message);
  if (!namesServedVersion(request) && !NamesVersion.safeParse(message).success) throw unsupportedVersion();
  if (call?.method === streamMethod) return { status: 404, body: errorResponse(call.id, noStreams) };
  const refusal = call && refusalOfParams(call);
  if (call && refusal) return { status: 200, body: errorResponse(call.id, protocolErrorOf(refusal)) };

  const wire = wireRequest(request);
  const isLegacy = await isLegacyRequest(wire, message);
  const response = await (isLegacy ? answerLegacy : answerModern)(surface, request, { wire, message });
  const body = await response.text();
  const report = (sdkText: string) => request.log.error({ err: new Error(sdkText) }, 'assistant call failed');
  return { status: response.status, body: withOwnMessages(body, isLegacy, report) ?? body };
}

interface Wire {
  wire: Request;
  message: object;
}

/** Version 2026-07-28: each request says by itself who asks and in which version. */
const answerModern = (surface: McpSurface, request: McpRequest, { wire, message }: Wire) =>
  createMcpHandler(() => createMcpServer(surface, request), { legacy: 'reject' }).fetch(wire, {
    parsedBody: message,
  });

/** Older versions, without sessions: a request is answered whether or not an `initialize` came before. */
async function answerLegacy(surface: McpSurface, request: McpRequest, { wire, message }: Wire) {
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
