import { expect, test } from 'vitest';
import { prune } from '../../worker/jobs/prune.ts';
import { unlimited } from '../support/app.ts';
import { refused, spent, startSignIn, Tokens } from '../support/sign-in.ts';

// Limits and retention of OAuth clients, grants and tokens.

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
