import { afterAll, expect, test } from 'vitest';
import { callback, refused, spent, startSignIn, stepsAt, Tokens } from '../support/sign-in.ts';

// docs/reference/assistant-sign-in.md

const app = await startSignIn();
afterAll(() => app[Symbol.asyncDispose]());
const owner = await app.person();
const origin = app.baseUrl;

test('both metadata documents are served at the root and with the path of /mcp, and describe the requested address', async () => {
  for (const path of ['', '/mcp']) {
    expect(await app.get(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
      status: 200,
      body: { resource: `${origin}/mcp`, authorization_servers: [origin] },
    });
    expect(await app.get(`/.well-known/oauth-authorization-server${path}`)).toMatchObject({
      status: 200,
      body: {
        issuer: origin,
        authorization_endpoint: `${origin}/oauth/authorize`,
        token_endpoint: `${origin}/oauth/token`,
        registration_endpoint: `${origin}/oauth/register`,
        revocation_endpoint: `${origin}/oauth/revoke`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      },
    });
  }
});

test('a registration with other options gets only the allowed redirect addresses, and no secret', async () => {
  const answer = await app.register({
    redirect_uris: [
      callback,
      'http://127.0.0.1:4711/back',
      'cursor://anysphere.cursor/callback',
      'http://assistant.example/plain',
      'https://user@assistant.example/',
      'https://assistant.example/a/../b',
      'https://assistant.example/a/%2E%2e/b',
      'https://assistant.example/#part',
      'javascript://assistant.example/%0aalert(1)',
      'com.example.app://callback',
    ],
    client_name: 'Cla\u202eu\u3164de\u0000',
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['implicit'],
    scope: 'everything',
    software_statement: { nobody: 'knows' },
  });
  expect(answer).toMatchObject({
    status: 201,
    body: {
      client_id: expect.stringMatching(/^svc_client_\w{27}$/),
      client_name: 'Claude',
      redirect_uris: [callback, 'http://127.0.0.1:4711/back', 'cursor://anysphere.cursor/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
  });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).not.toHaveProperty('client_secret');
});

test('a registration that is malformed or has no allowed redirect address gets an OAuth error', async () => {
  expect(await app.register({ redirect_uris: ['http://assistant.example/'] })).toMatchObject(
    refused('invalid_redirect_uri'),
  );
  for (const body of ['{', '[]', { redirect_uris: callback }, {}])
    expect(await app.post('/oauth/register', { body })).toEqual(refused('invalid_client_metadata'));
});

test('an unknown client or a foreign redirect address gets an error page, never a redirect', async () => {
  const { id } = await app.register();
  for (const fields of [
    { client_id: 'svc_client_nobody' },
    { client_id: undefined },
    { redirect_uri: 'https://assistant.example/callback/' },
    { redirect_uri: 'https://assistant.example/callback?more' },
    { redirect_uri: 'https://attacker.example/callback' },
    { redirect_uri: [callback, 'https://attacker.example/'] },
    { client_id: 'https://127.0.0.1/client.json' },
  ]) {
    const { status, location, headers, html } = await app.authorize({ ...app.asking(id).query, ...fields });
    expect([fields, status, location]).toEqual([fields, 400, null]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(html).toContain('<main>');
  }
});

test('other invalid authorization requests redirect to the client with the error and the issuer', async () => {
  const { id } = await app.register();
  for (const [fields, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ scope: ['mcp:read', 'mcp:write'] }, 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ resource: [`${origin}/mcp`, 'https://other.example/mcp'] }, 'invalid_target'],
  ] as const) {
    const { status, location } = await app.authorize({ ...app.asking(id).query, ...fields });
    expect([fields, status, `${location?.origin}${location?.pathname}`]).toEqual([fields, 303, callback]);
    const answer = Object.fromEntries(location?.searchParams ?? []);
    expect(answer).toMatchObject({ error, iss: origin });
  }
});

test('an authorization request redirects to the studio, and a consent back to the client with code, state and issuer', async () => {
  const { id: client } = await app.register();
  const { query, verifier } = app.asking(client, { resource: `${origin}/mcp/`, scope: 'offline_access' });
  const { status, location, headers } = await app.authorize(query);
  expect(status).toBe(303);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(`${location}`).toMatch(new RegExp(`^${origin}/studio/connect/[a-z0-9]{15}$`));
  const answer = await app.allow(owner, `${location}`.slice(-15), ['mcp:read']);
  expect(Object.fromEntries(answer)).toEqual({
    code: expect.stringMatching(/^svc_oauth_code_\w{43}$/),
    state: 'a state',
    iss: origin,
  });
  const exchanged = await app.token({
    ...{
      grant_type: 'authorization_code',
      client_id: client,
      redirect_uri: callback,
      code_verifier: verifier,
    },
    ...{ code: answer.get('code') ?? '', resource: `${origin}/mcp` },
  });
  expect(exchanged.status).toBe(200);
  expect(exchanged.headers.get('cache-control')).toBe('no-store');
  expect(Tokens.parse(exchanged.body)).toMatchObject({ expires_in: 3_600, scope: 'mcp:read' });
});

test('an empty OAuth parameter counts as left out', async () => {
  const { id } = await app.register();
  const { location } = await app.authorize({ ...app.asking(id).query, scope: '', state: '', resource: '' });
  const answer = await app.allow(await app.person(), `${location}`.slice(-15), ['mcp:read']);
  expect([...answer.keys()]).toEqual(['code', 'iss']);
});

test('an authorization code works only for its client, redirect address, verifier and resource, for a minute', async () => {
  const other = (await app.register()).id;
  const form = await app.codeFor(owner, ['mcp:read']);
  const { code_verifier: _, ...without } = form;
  expect(await app.token({ ...form, client_id: other })).toEqual(spent);
  expect(await app.token({ ...form, client_id: 'svc_client_nobody' })).toEqual(
    refused('invalid_client', 401),
  );
  expect(await app.token({ ...form, client_id: undefined })).toEqual(refused('invalid_client', 401));
  expect(await app.token({ ...form, redirect_uri: 'https://attacker.example/' })).toEqual(spent);
  expect(await app.token(without)).toEqual(spent);
  expect(await app.token({ ...form, code_verifier: 'x'.repeat(43) })).toEqual(spent);
  expect(await app.token({ ...form, resource: 'https://other.example/mcp' })).toEqual(
    refused('invalid_target'),
  );
  expect(await app.token({ ...form, grant_type: 'password' })).toEqual(refused('unsupported_grant_type'));
  expect(await app.token({ ...form, code: undefined })).toEqual(refused('invalid_request'));
  expect(await app.token({ ...form, code: [form.code, form.code] })).toEqual(refused('invalid_request'));
  expect(await app.post('/oauth/token', { body: form })).toEqual(refused('invalid_request'));
  app.clock.advance({ seconds: 60 });
  expect(await app.token(form)).toEqual(spent);
  const fresh = await app.codeFor(owner, ['mcp:read']);
  app.clock.advance({ seconds: 60, ms: -1 });
  expect((await app.token(fresh)).status).toBe(200);
});

test('using an authorization code twice revokes its tokens', async () => {
  const { client_id, form, call, refresh, id } = await app.connect(owner);
  expect((await call('list_posts')).status).toBe(200);
  expect(await app.token({ client_id, ...form })).toEqual(spent);
  expect((await call('list_posts')).status).toBe(401);
  expect(await refresh()).toEqual(spent);
  expect((await owner.list.query()).data.map((one) => one.id)).not.toContain(id);
});

test('concurrent refreshes of one client return the same refresh token, and an access token for each', async () => {
  const { refresh, call } = await app.connect(owner);
  const answers = (await Promise.all([refresh(), refresh(), refresh()])).map(({ body }) =>
    Tokens.parse(body),
  );
  expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1);
  expect(new Set(answers.map(({ access_token }) => access_token)).size).toBe(3);
  for (const { access_token } of answers)
    expect((await call('list_posts', {}, access_token)).status).toBe(200);
  app.clock.advance({ minutes: 10, ms: -1 });
  expect((await refresh()).status).toBe(200);
  expect((await refresh(answers[0]?.refresh_token)).status).toBe(200);
});

test('using a replaced refresh token after its successor was used revokes the grant', async () => {
  const { refresh, call } = await app.connect(owner);
  const second = Tokens.parse((await refresh()).body);
  const third = Tokens.parse((await refresh(second.refresh_token)).body);
  expect(await refresh()).toEqual(spent);
  expect(await refresh(third.refresh_token)).toEqual(spent);
  expect((await call('list_posts', {}, third.access_token)).status).toBe(401);
});

test('using a replaced refresh token after ten minutes revokes the grant', async () => {
  const { refresh } = await app.connect(owner);
  const second = Tokens.parse((await refresh()).body);
  app.clock.advance({ minutes: 10 });
  expect(await refresh()).toEqual(spent);
  expect(await refresh(second.refresh_token)).toEqual(spent);
});

test('a refresh token lasts thirty days from its last use, and works only for its client', async () => {
  const { refresh, client_id, refresh_token } = await app.connect(owner);
  const other = (await app.register()).id;
  const theirs = { grant_type: 'refresh_token', client_id: other, refresh_token };
  expect(await app.token(theirs)).toEqual(spent);
  expect(await app.token({ ...theirs, client_id, resource: 'https://other.example/mcp' })).toEqual(
    refused('invalid_target'),
  );
  app.clock.advance({ days: 29 });
  const second = Tokens.parse((await refresh()).body);
  app.clock.advance({ days: 30, ms: -1 });
  const third = Tokens.parse((await refresh(second.refresh_token)).body);
  app.clock.advance({ days: 30 });
  expect(await refresh(third.refresh_token)).toEqual(spent);
});

test('a client can revoke its tokens, and an unknown token counts as revoked', async () => {
  const me = await app.person();
  const one = await app.connect(me);
  const revoke = (token: string, client_id?: string) => app.postForm('/oauth/revoke', { token, client_id });
  const done = { status: 200, body: {} };
  expect(await revoke(one.access_token, (await app.register()).id)).toEqual(done);
  expect((await one.call('list_posts')).status).toBe(200);
  expect(await revoke(one.access_token, one.client_id)).toEqual(done);
  expect((await one.call('list_posts')).status).toBe(401);
  const two = Tokens.parse((await one.refresh()).body);
  expect(await revoke(two.refresh_token)).toEqual(done);
  expect((await one.call('list_posts', {}, two.access_token)).status).toBe(401);
  expect(await revoke('svc_oauth_refresh_none')).toEqual(done);
  expect(await revoke(owner.token)).toEqual(done);
});

test('a loopback redirect address works at any port, other addresses only at their own', async () => {
  const { id } = await app.register({
    redirect_uris: ['http://127.0.0.1:4711/back?a=b', 'https://assistant.example:8443/'],
  });
  const to = async (redirect_uri: string) =>
    (await app.authorize(app.asking(id, { redirect_uri }).query)).status;
  expect(await to('http://127.0.0.1:50123/back?a=b')).toBe(303);
  expect(await to('http://127.0.0.1/back?a=b')).toBe(303);
  expect(await to('http://localhost:4711/back?a=b')).toBe(400);
  expect(await to('http://127.0.0.1:4711/back')).toBe(400);
  expect(await to('https://assistant.example:8444/')).toBe(400);
  const { id: request } = await app.ask(id, { redirect_uri: 'http://127.0.0.1:50123/back?a=b' });
  const someone = await app.person();
  expect(await someone.request.query({ id: request })).toMatchObject({
    redirect_host: '127.0.0.1:50123',
    loopback: true,
  });
});

test('tokens of assistants work only at the address of the service that issued them', async () => {
  const publicUrl = new URL('https://service.example');
  await using processes = await startSignIn({ config: { publicUrl, trustProxy: ['127.0.0.0/8'] } });
  const siteId = await processes.seed.site({ custom_domain: 'ada.example.com', subdomain: 'ada' });
  await processes.seed.site({ subdomain: 'bea' });
  const https = { 'x-forwarded-proto': 'https' };
  const at = (host: string) => stepsAt(processes, { ...https, host });
  const [domain, subdomain] = [at('ada.example.com'), at('ada.service.example')];
  const described = async (host: string) =>
    (await processes.get('/.well-known/oauth-protected-resource/mcp', { headers: { ...https, host } })).body;
  expect(await described('ada.example.com')).toMatchObject({ resource: 'https://ada.example.com/mcp' });
  expect(await described('ada.service.example')).toMatchObject({
    resource: 'https://ada.service.example/mcp',
  });
  expect(await described('nobody.example')).toMatchObject({ resource: 'https://service.example/mcp' });
  const ada = await at('service.example').person('owner', siteId);
  const { location } = await domain.authorize(domain.asking((await domain.register()).id).query);
  expect(location?.origin).toBe('https://service.example');
  const { id: _, client_id, ...form } = await domain.codeFor(ada, ['mcp:read']);
  expect(await subdomain.token({ client_id, ...form })).toEqual(spent);
  const tokens = Tokens.parse((await domain.token({ client_id, ...form })).body);
  const status = async (host: string) =>
    (await processes.post('/mcp', { key: tokens.access_token, body: ping, headers: { ...https, host } }))
      .status;
  expect(await status('ada.example.com')).toBe(200);
  for (const host of ['ada.service.example', 'bea.service.example', 'service.example', 'nobody.example'])
    expect([host, await status(host)]).toEqual([host, 401]);
  const givenBack = async (steps: ReturnType<typeof stepsAt>, token: string) =>
    (await steps.postForm('/oauth/revoke', { token, client_id })).status;
  for (const host of ['ada.service.example', 'bea.service.example', 'service.example'])
    expect([
      await givenBack(at(host), tokens.refresh_token),
      await givenBack(at(host), tokens.access_token),
    ]).toEqual([200, 200]);
  expect(await status('ada.example.com')).toBe(200);
  expect(await givenBack(domain, tokens.refresh_token)).toBe(200);
  expect(await status('ada.example.com')).toBe(401);
});

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test('without HTTPS, assistants can sign in on localhost only', async () => {
  await using plain = await startSignIn({ config: { publicUrl: new URL('http://service.example') } });
  expect((await plain.get('/.well-known/oauth-protected-resource')).status).toBe(404);
  const answer = await plain.post('/mcp', { body: ping });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});
