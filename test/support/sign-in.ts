import { createHash, randomBytes } from 'node:crypto';
import { request as send } from 'undici';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Role } from '../../shared/contract/roles.ts';
import type { McpScope } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { sendMessage, toolCall } from './assistant.ts';
import { clientWith } from './rpc.ts';

export const callback = 'https://assistant.example/callback';

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Starts an app where assistants sign in, and returns the steps of a sign-in. Dispose of it with `await using`. */
export async function startSignIn(options: TestAppOptions = {}) {
  const app = await startApp(options);
  return Object.assign(app, stepsAt(app));
}

/** Encodes fields for a form or a query. Undefined fields are left out. */
function written(fields: Fields) {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as [string, string]),
  );
  return `${new URLSearchParams(pairs)}`;
}

/** Returns the steps at one address: that of the app, or the one in the header `host`. */
export function stepsAt(app: TestApp, headers: Record<string, string> = {}) {
  const register = async (metadata: object = {}) => {
    const body = { client_name: 'Claude', redirect_uris: [callback], ...metadata };
    const answer = await app.post('/oauth/register', { body, headers });
    const { data } = z.object({ client_id: z.string() }).safeParse(answer.body);
    return Object.assign(answer, { id: data?.client_id ?? '' });
  };

  /** Requests authorization as a browser does, without following the redirect. */
  const authorize = async (fields: Fields) => {
    const {
      statusCode,
      headers: answered,
      body,
    } = await send(`${app.baseUrl}/oauth/authorize?${written(fields)}`, {
      headers: { accept: 'text/html', ...headers },
    });
    const location = answered.location === undefined ? null : new URL(`${answered.location}`);
    return { status: statusCode, location, headers: answered, html: await body.text() };
  };

  const post = (path: string, fields: Fields) =>
    app.post(path, {
      body: written(fields),
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    });

  /** Returns a client's authorization request and the verifier that the client keeps. */
  const requesting = (client_id: string, fields: Fields = {}) => {
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const usual = {
      response_type: 'code',
      redirect_uri: callback,
      state: 'a state',
      code_challenge_method: 'S256',
    };
    return { verifier, query: { client_id, ...usual, code_challenge, ...fields } };
  };

  /** Requests authorization and returns the ID of the pending request. */
  const request = async (client_id: string, fields: Fields = {}) => {
    const { verifier, query } = requesting(client_id, fields);
    const { location } = await authorize(query);
    return { verifier, id: location?.pathname.split('/').at(-1) ?? '' };
  };

  const person = async (role: Role = 'owner', siteId?: string) => {
    const seeded = await app.seed.person(role, siteId);
    const token = await app.seed.session(seeded);
    const { studio } = clientWith(app.baseUrl, { ...headers, authorization: `Bearer ${token}` });
    const { request, approve, deny, list, update, revoke } = studio.assistants;
    return { ...seeded, token, request, approve, deny, list, update, revoke };
  };
  type Person = Awaited<ReturnType<typeof person>>;

  /** Approves a request and returns the parameters of the redirect. */
  const allow = async (by: Person, id: string, scopes: McpScope[], more: { ends_at?: Date | null } = {}) =>
    new URL((await by.approve.mutate({ id, scopes, ...more })).redirect_to).searchParams;

  /** Returns a code for a new client, with the other fields of the token request. */
  const codeFor = async (by: Person, scopes: McpScope[], fields: Fields = {}) => {
    const client_id = typeof fields.client_id === 'string' ? fields.client_id : (await register()).id;
    const { verifier, id } = await request(client_id, fields);
    const code = (await allow(by, id, scopes)).get('code') ?? '';
    return { id, grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
  };

  const token = ({ id: _, ...fields }: Fields) => post('/oauth/token', fields);

  /** Connects an assistant of a person and returns its tokens and calls. */
  const connect = async (by: Person, scopes: McpScope[] = ['mcp:read']) => {
    const { id, client_id, ...form } = await codeFor(by, scopes);
    const tokens = Tokens.parse((await token({ client_id, ...form })).body);
    const call = (name: string, input: object = {}, key = tokens.access_token) =>
      sendMessage(app, toolCall(name, input), { key, headers });
    const refresh = (refresh_token = tokens.refresh_token) =>
      token({ grant_type: 'refresh_token', client_id, refresh_token });
    return { id, client_id, ...tokens, call, refresh, form };
  };

  return {
    register,
    authorize,
    asking: requesting,
    ask: request,
    person,
    allow,
    codeFor,
    token,
    connect,
    postForm: post,
  };
}

export const Tokens = z.strictObject({
  access_token: z.string().regex(/^svc_oauth_access_\w{43}$/),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string().regex(/^svc_oauth_refresh_\w{43}$/),
  scope: z.string(),
});

/** OAuth error with this code. */
export const refused = (error: string, status = 400) => ({
  status,
  body: { error, error_description: expect.any(String) },
});

export const spent = refused('invalid_grant');
