import { afterAll, expect, test } from 'vitest';
import { areas, type Role, roleNames } from '../../shared/contract/roles.ts';
import { mcpScopeNames } from '../../shared/contract/scopes.ts';
import { setKillSwitch } from '../support/assistant.ts';
import { choosePassword } from '../support/mailed-tokens.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { callback, startSignIn, stepsAt, Tokens } from '../support/sign-in.ts';

// docs/reference/assistant-sign-in.md: the consent page and its decisions.

const app = await startSignIn();
afterAll(() => app[Symbol.asyncDispose]());
const owner = await app.person();

const requested = async (fields = {}) => (await app.ask((await app.register()).id, fields)).id;
const code = async (call: Promise<unknown>) => (await refusal(call)).code;

test('the consent page describes each scope in words, and preselects no dangerous one', async () => {
  const id = await requested({ scope: 'mcp:posts:read mcp:posts:write mcp:members:read openid' });
  const request = await owner.request.query({ id });
  expect(request).toMatchObject({
    id,
    client: { name: 'Claude', host: null, verified: false },
    redirect_host: 'assistant.example',
    loopback: false,
  });
  const scopes = new Map(request.scopes.map(({ scope, ...offer }) => [scope, offer]));
  expect([...scopes.keys()]).toEqual(mcpScopeNames);
  expect(scopes.get('mcp:posts:read')).toMatchObject({ asked: true, dangerous: false, ticked: true });
  expect(scopes.get('mcp:posts:write')).toMatchObject({ asked: true, dangerous: true, ticked: false });
  expect(scopes.get('mcp:members:read')).toMatchObject({ asked: true, dangerous: true, ticked: false });
  expect(request.scopes.filter(({ ticked }) => ticked)).toHaveLength(1);
  for (const { words } of request.scopes) expect(words).not.toMatch(/mcp|scope|api/i);
});

test('without requested scopes, only reading is preselected', async () => {
  const { scopes } = await owner.request.query({ id: await requested() });
  expect(scopes.filter(({ ticked }) => ticked).map(({ scope }) => scope)).toEqual(['mcp:read']);
});

test('each role is offered the scopes that it has itself, and cannot grant others', async () => {
  for (const role of roleNames) {
    const person = await app.person(role);
    const id = await requested({ scope: mcpScopeNames.join(' ') });
    const offered = (await person.request.query({ id })).scopes.map(({ scope }) => scope);
    expect([role, offered]).toEqual([role, mcpScopeNames.filter((scope) => opensTo(role, scope))]);
    for (const scope of mcpScopeNames.filter((one) => !offered.includes(one)))
      expect([role, scope, await code(person.approve.mutate({ id, scopes: ['mcp:read', scope] }))]).toEqual([
        ...[role, scope, 'insufficient_role'],
      ]);
    expect((await app.allow(person, id, offered)).has('code')).toBe(true);
  }
});

/** True if the role has the scope, by the table of roles and independent of the implementation. */
function opensTo(role: Role, scope: string): boolean {
  const [, resource = '', access] = scope.split(':');
  if (resource === 'members' || resource === 'payments') return areas.audience[role] !== null;
  if (resource === 'analytics') return true;
  if (resource === 'newsletter')
    return access === 'send' ? areas.newsletter[role] === 'write' : areas.newsletter[role] !== null;
  if (resource === 'events' || resource === 'webhooks') return role === 'owner';
  if (access === 'read' || resource === 'read') return true;
  if (resource === 'profile' || resource === 'skills') return areas.publish[role] === 'write';
  return role !== 'support';
}

test("an assistant's request for access can be decided once, within ten minutes, by a person who is signed in", async () => {
  const id = await requested();
  const answered = (path: string, headers: Record<string, string> = {}) =>
    app.post(`/trpc/studio.assistants.${path}`, { body: { json: { id, scopes: ['mcp:read'] } }, headers });
  for (const headers of [{}, { cookie: `session=${owner.token}` }, { origin: 'https://attacker.example' }])
    expect([headers, (await answered('approve', headers)).status]).toEqual([headers, 401]);
  await app.allow(owner, id, ['mcp:read']);
  expect(await code(owner.approve.mutate({ id, scopes: ['mcp:read'] }))).toBe('not_found');
  expect(await code(owner.request.query({ id }))).toBe('not_found');
  const late = await requested();
  app.clock.advance({ minutes: 10 });
  expect(await code(owner.approve.mutate({ id: late, scopes: ['mcp:read'] }))).toBe('not_found');
});

test('denying redirects to the client with access_denied and no code', async () => {
  const id = await requested();
  const { redirect_to } = await owner.deny.mutate({ id });
  expect(redirect_to.startsWith(`${callback}?`)).toBe(true);
  expect(Object.fromEntries(new URL(redirect_to).searchParams)).toEqual({
    ...{ error: 'access_denied', state: 'a state', iss: app.baseUrl },
  });
  expect(await code(owner.approve.mutate({ id, scopes: ['mcp:read'] }))).toBe('not_found');
});

test('no site can frame the consent page', async () => {
  const { headers } = await fetch(`${app.baseUrl}/studio/connect/${await requested()}`);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

test('owners see and revoke all assistants, other roles only their own', async () => {
  const editor = await app.person('editor');
  const author = await app.person('author');
  const [one, other] = [await app.connect(editor), await app.connect(author)];
  const idsOf = async ({ list }: typeof owner) => (await list.query()).data.map(({ id }) => id);
  expect(await idsOf(editor)).toEqual([one.id]);
  expect(await idsOf(author)).toEqual([other.id]);
  expect(await idsOf(owner)).toEqual(expect.arrayContaining([one.id, other.id]));
  expect(await code(author.revoke.mutate({ id: one.id }))).toBe('not_found');
  expect(await code(author.update.mutate({ id: one.id, scopes: ['mcp:read'] }))).toBe('not_found');
  await owner.revoke.mutate({ id: one.id });
  expect((await one.call('list_posts')).status).toBe(401);
  expect(await one.refresh()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await other.call('list_posts')).status).toBe(200);
});

test('changed scopes and an end of a grant apply to the next request, within the rights of its person', async () => {
  const author = await app.person('author');
  const { id, call } = await app.connect(author, ['mcp:posts:read']);
  expect((await call('list_talks')).status).toBe(403);
  await author.update.mutate({ id, scopes: ['mcp:talks:read'] });
  expect((await call('list_talks')).status).toBe(200);
  expect((await call('list_posts')).status).toBe(403);
  expect(await code(owner.update.mutate({ id, scopes: ['mcp:members:read'] }))).toBe('insufficient_role');
  const ends_at = app.clock.inMinutes(5);
  await owner.update.mutate({ id, scopes: ['mcp:talks:read'], ends_at });
  expect((await author.list.query()).data[0]).toMatchObject({ id, scopes: ['mcp:talks:read'], ends_at });
  app.clock.advance({ minutes: 5 });
  expect((await call('list_talks')).status).toBe(401);
  expect((await author.list.query()).data).toEqual([]);
});

test("an assistant's token expires no later than its grant, and a grant must end in the future", async () => {
  const { id: client_id } = await app.register();
  const { verifier: code_verifier, id } = await app.ask(client_id);
  const past = owner.approve.mutate({ id, scopes: ['mcp:read'], ends_at: app.clock.now() });
  expect(await code(past)).toBe('validation_failed');
  const answer = await app.allow(owner, id, ['mcp:read'], { ends_at: app.clock.inMinutes(10) });
  const form = { grant_type: 'authorization_code', client_id, code_verifier, code: answer.get('code') ?? '' };
  expect(Tokens.parse((await app.token(form)).body).expires_in).toBe(600);
});

test("plan, MCP switch and the person's role are checked in every request", async () => {
  await using own = await startSignIn();
  const [me, editor] = [await own.person(), await own.person('editor')];
  const { call, refresh } = await own.connect(editor, ['mcp:read', 'mcp:posts:write']);
  const status = async () => (await call('list_posts')).status;
  expect(await status()).toBe(200);
  await setKillSwitch(own, 'off');
  expect([await status(), (await refresh()).status]).toEqual([403, 400]);
  const { id } = await own.ask((await own.register()).id);
  expect(await code(me.request.query({ id }))).toBe('mcp_disabled');
  expect(await code(me.approve.mutate({ id, scopes: ['mcp:read'] }))).toBe('mcp_disabled');
  await setKillSwitch(own, 'on');
  await own.deps.database.em.execute(`update sites set plan = 'free'`);
  expect([await status(), (await refresh()).status]).toEqual([403, 400]);
  expect(await code(me.approve.mutate({ id, scopes: ['mcp:read'] }))).toBe('insufficient_scope');
  await own.deps.database.em.execute(`update sites set plan = 'pro'`);
  expect([await status(), (await refresh()).status]).toEqual([200, 200]);
  const { people } = ownerClient(own.baseUrl, me.token).studio;
  await people.update.mutate({ id: editor.id, role: 'support' });
  expect(JSON.stringify((await call('create_post', { title: 'By whom?' })).body)).toContain(
    'insufficient_role',
  );
  await people.remove.mutate({ id: editor.id });
  expect([await status(), (await refresh()).status]).toEqual([401, 400]);
});

test("a password reset revokes the person's assistants and no others, and a password change revokes none", async () => {
  await using own = await startSignIn();
  const [person, other] = [await own.seed.owner(), await own.person('editor')];
  const { body } = await own.post('/api/admin/session', { body: person });
  const { token } = body as { token: string };
  const { studio } = ownerClient(own.baseUrl, token);
  const me = { ...other, approve: studio.assistants.approve, token };
  const [mine, theirs] = [await own.connect(me), await own.connect(other)];
  const seen = async () => [(await mine.call('list_posts')).status, (await theirs.call('list_posts')).status];
  await studio.account.changePassword.mutate({ current: person.password, password: 'battery staple horse' });
  expect(await seen()).toEqual([200, 200]);
  await choosePassword(own, person.email, 'a new password of mine');
  expect(await seen()).toEqual([401, 200]);
});

test("an assistant's request for a site cannot be read or approved in a session of another site", async () => {
  await using processes = await startSignIn();
  const siteId = await processes.seed.site({ subdomain: 'ada' });
  const ada = await processes.person('owner', siteId);
  const elsewhere = await processes.seed.site({ subdomain: 'bea' });
  await processes.deps.database.em.execute(
    `insert into site_people (site_id, person_id, role, created) values (?, ?, 'editor', now())`,
    [elsewhere, ada.id],
  );
  const { register, asking: requesting, authorize } = stepsAt(processes, { host: 'bea.localhost:3000' });
  const { location } = await authorize(requesting((await register()).id).query);
  expect(location?.host).toBe('bea.localhost:3000');
  const id = `${location}`.slice(-15);
  expect(await code(ada.request.query({ id }))).toBe('site_required');
  expect(await code(ada.approve.mutate({ id, scopes: ['mcp:read'] }))).toBe('not_found');
  const stranger = await processes.person('owner', siteId);
  expect(await code(stranger.request.query({ id }))).toBe('not_found');

  // At the service's own address, an assistant gets the site that the person is signed in to.
  const own = await processes.connect(ada);
  expect((await own.call('list_posts')).status).toBe(200);
  expect((await ada.list.query()).data.map((one) => one.id)).toEqual([own.id]);
});
