import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { auth, Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { startSignIn } from '../support/sign-in.ts';

// docs/contract.md#assistants-that-sign-in

/** What a program keeps that signs in with the official SDK. */
function createProvider() {
  const kept: { url?: URL; verifier?: string; client?: object; tokens?: object; discovery?: object } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:33418/callback',
    clientMetadata: {
      client_name: 'An editor',
      redirect_uris: ['http://127.0.0.1:33418/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    state: () => 'of the editor',
    clientInformation: () => kept.client as never,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens as never,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      kept.url = url;
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState(state) {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery as never,
  };
  return { kept, provider };
}

test('the official client goes from the address of /mcp to a call, with nothing but what somebody allows', async () => {
  await using app = await startSignIn();
  const owner = await app.person();
  const { kept, provider } = createProvider();
  const address = new URL('/mcp', app.baseUrl);
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(address, { authProvider: provider });
    const client = new Client({ name: 'editor', version: '1' });
    await client.connect(transport);
    return client;
  };
  await expect(connect()).rejects.toThrow(UnauthorizedError);
  const asked = await app.authorize(Object.fromEntries(kept.url?.searchParams ?? []));
  const id = asked.location?.pathname.split('/').at(-1) ?? '';
  const answer = await app.allow(owner, id, ['mcp:read']);
  expect(answer.get('state')).toBe('of the editor');
  const given = {
    serverUrl: address,
    authorizationCode: answer.get('code') ?? '',
    iss: answer.get('iss') ?? '',
  };
  expect(await auth(provider, given)).toBe('AUTHORIZED');
  const client = await connect();
  expect(await client.callTool({ name: 'list_posts', arguments: {} })).toMatchObject({
    structuredContent: { data: [] },
  });
  await client.close();

  // Once its hour is over it refreshes by itself.
  app.clock.advance({ hours: 2 });
  const later = await connect();
  expect((await later.listTools()).tools.map(({ name }) => name)).toContain('list_posts');
  await later.close();
});
