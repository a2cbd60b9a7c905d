import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CallToolResult,
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { errorOf } from './assistant.ts';

/**
 * Creates an assistant on this machine with the official SDK. From the address alone it discovers the endpoints,
 * registers, opens a browser for the sign-in, and receives the answer on its own port. Dispose of it before the app.
 */
export async function startSigningIn(address: URL, { name = 'Claude' }: { name?: string } = {}) {
  let answers = Promise.withResolvers<URLSearchParams>();
  const receiver = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Back</title><h1>Back at the assistant</h1>');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/callback') answers.resolve(searchParams);
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const here = `http://127.0.0.1:${port}/callback`;
  const kept: Kept = {};
  const authProvider: OAuthClientProvider = {
    redirectUrl: here,
    clientMetadata: {
      client_name: name,
      redirect_uris: [here],
    } satisfies OAuthClientMetadata,
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.authorization = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (discovery) => {
      kept.discovery = discovery;
    },
    discoveryState: () => kept.discovery,
  };
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(address, { authProvider });
    const client = new Client({ name, version: '1.0.0' });
    clients.push(client);
    await client.connect(transport);
    return client;
  };
  const clients: Client[] = [];
  return {
    /** Origin of its own pages. */
    origin: new URL(here).origin,
    /** Connects, and returns the URL to which it sends a browser after it was refused. */
    async begin(): Promise<string> {
      delete kept.authorization;
      answers = Promise.withResolvers();
      await connect().catch((error: unknown) => {
        if (!(error instanceof UnauthorizedError)) throw error;
      });
      const { authorization } = kept as Kept;
      if (!authorization) throw new Error('the server did not require a sign-in');
      return authorization.href;
    },
    /** Resolves with the parameters that the browser brought back. */
    answered: () => answers.promise,
    /** Exchanges the code for a token. */
    async finish(answer: URLSearchParams) {
      await new StreamableHTTPClientTransport(address, { authProvider }).finishAuth(answer);
    },
    tokens: () => kept.tokens,
    async callTool(tool: string, input: Record<string, unknown> = {}): Promise<unknown> {
      // Tools of this server answer immediately, never with a task.
      const result = (await (await connect()).callTool({ name: tool, arguments: input })) as CallToolResult;
      return result.isError ? errorOf(result) : result.structuredContent;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}

interface Kept {
  client?: Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0];
  tokens?: Parameters<OAuthClientProvider['saveTokens']>[0];
  authorization?: URL;
  verifier?: string;
  discovery?: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0];
}
