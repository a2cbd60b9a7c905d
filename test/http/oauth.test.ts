import { afterAll, expect, test } from 'vitest';
import { prune } from '../../worker/jobs/prune.ts';
import { unlimited } from '../support/app.ts';
import { callback, startSignIn, stepsAt, Tokens } from '../support/sign-in.ts';

// docs/reference/assistant-sign-in.md

const app = await startSignIn();
afterAll(() => app[Symbol.asyncDispose]());
const owner = await app.person();
const origin = app.baseUrl;

const refused = (error: string, status = 400) => ({
  status,
  body: { error, error_description: expect.any(String) },
});
const spent = refused('invalid_grant');

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

test('an address that registers too many clients gets 429', async () => {
  await using limited = await startSignIn({ limits: {} });
  const answers = [];
  for (let at = 0; at < 21; at += 1) answers.push(await limited.register());
  expect(answers.slice(0, 20).every(({ status }) => status === 201)).toBe(true);
  expect(answers[20]).toMatchObject(refused('temporarily_unavailable', 429));
  expect(answers[20]?.headers.get('retry-after')).toMatch(/^\d+$/);
});

test("connecting a fifty-first assistant revokes the person's least recently used one", async () => {
  await using crowded = await startSignIn();
  const [someone, other] = [await crowded.person(), await crowded.person()];
  const [first, theirs] = [await crowded.connect(someone), await crowded.connect(other)];
  await crowded.deps.database.em.execute(`
    insert into oauth_grants (site_id, id, client_id, client_name, redirect_uri, code_challenge, issuer, asked, scopes, person_id,
      created, last_used_at, expires_at)
    select site_id, lpad(n::text, 15, '0'), client_id, client_name, redirect_uri, code_challenge, issuer, asked, scopes, person_id,
      created + interval '1 minute', created + interval '1 minute', expires_at
    from oauth_grants, generate_series(1, 49) n where id = '${first.id}'`);
  crowded.clock.advance({ minutes: 2 });
  const last = await crowded.connect(someone);
  expect((await first.call('list_posts')).status).toBe(401);
  expect((await last.call('list_posts')).status).toBe(200);
  expect((await theirs.call('list_posts')).status).toBe(200);
});

test("a grant gets sixty tokens a minute, and invalid requests in the client's name do not count", async () => {
  const { strict: _, ...others } = unlimited;
  await using limited = await startSignIn({ limits: others });
  const one = await limited.connect(await limited.person());
  const { client_id } = one;
  const forged = { grant_type: 'refresh_token', client_id, refresh_token: 'svc_oauth_refresh_none' };
  for (let at = 0; at < 70; at += 1) expect(await limited.token(forged)).toEqual(spent);
  let { refresh_token } = one;
  for (let at = 1; at < 60; at += 1)
    ({ refresh_token } = Tokens.parse((await one.refresh(refresh_token)).body));
  expect(await one.refresh(refresh_token)).toMatchObject(refused('temporarily_unavailable', 429));
  const { id: _id, ...form } = await limited.codeFor(await limited.person(), ['mcp:read'], { client_id });
  expect((await limited.token(form)).status).toBe(200);
  limited.clock.advance({ minutes: 1 });
  expect((await one.refresh(refresh_token)).status).toBe(200);
});

test('OAuth requests that were not decided within ten minutes are deleted by the next request for access', async () => {
  await using quiet = await startSignIn();
  const { id } = await quiet.register();
  const waiting = async () =>
    (await quiet.deps.database.em.execute<{ id: string }[]>('select id from oauth_grants')).length;
  await quiet.ask(id);
  await quiet.ask(id);
  expect(await waiting()).toBe(2);
  quiet.clock.advance({ minutes: 10 });
  await quiet.ask(id);
  expect(await waiting()).toBe(1);
});

test('a site keeps the newest two hundred unused OAuth clients, and those with a pending request', async () => {
  await using crowded = await startSignIn();
  const someone = await crowded.person();
  const used = await crowded.connect(someone);
  const run = <Row>(text: string) => crowded.deps.database.em.execute<Row[]>(text);
  await run(`insert into oauth_clients (site_id, id, name, redirect_uris, is_used, created)
    select site_id, n::text, 'An old one', redirect_uris, false, created - n * interval '1 second'
    from oauth_clients, generate_series(1, 200) n`);
  await crowded.ask('200');
  const { id } = await crowded.register();
  const kept = (await run<{ id: string }>('select id from oauth_clients')).map((client) => client.id);
  expect(kept).toHaveLength(202);
  expect(kept).toEqual(expect.arrayContaining([used.client_id, id, '1', '199', '200']));
  crowded.clock.advance({ minutes: 10 });
  await crowded.register();
  const left = (await run<{ id: string }>('select id from oauth_clients')).map((client) => client.id);
  expect(left).toHaveLength(201);
  expect(left).not.toContain('200');
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

test('the worker deletes expired requests and tokens, and clients that were unused for a day', async () => {
  await using old = await startSignIn();
  const someone = await old.person();
  const kept = await old.connect(someone);
  await kept.refresh();
  await old.ask(kept.client_id);
  await old.register();
  const rows = async (what: string) => old.deps.database.em.execute(`select ${what}`);
  const after = async (by: { days?: number; hours?: number; minutes?: number }) => {
    old.clock.advance(by);
    await prune(old.deps.database, old.clock.now());
    const [counts] = await rows(`(select count(*)::int from oauth_grants) as grants,
      (select count(*)::int from oauth_clients) as clients, (select count(*)::int from oauth_tokens) as tokens,
      (select count(*)::int from oauth_tokens where successor_sealed is not null) as sealed`);
    return counts;
  };
  expect(await after({})).toEqual({ grants: 2, clients: 2, tokens: 5, sealed: 1 });
  expect(await after({ minutes: 10 })).toEqual({ grants: 1, clients: 2, tokens: 5, sealed: 0 });
  expect(await after({ days: 1 })).toEqual({ grants: 1, clients: 1, tokens: 4, sealed: 0 });
  expect(await after({ hours: 1 })).toEqual({ grants: 1, clients: 1, tokens: 2, sealed: 0 });
  expect(await after({ days: 31 })).toEqual({ grants: 0, clients: 1, tokens: 0, sealed: 0 });
});

test('without HTTPS, assistants can sign in on localhost only', async () => {
  await using plain = await startSignIn({ config: { publicUrl: new URL('http://service.example') } });
  expect((await plain.get('/.well-known/oauth-protected-resource')).status).toBe(404);
  const answer = await plain.post('/mcp', { body: ping });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});
