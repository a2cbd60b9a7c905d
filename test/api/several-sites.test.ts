import { expect, test } from 'vitest';
import { z } from 'zod';
import { SitePerson } from '../../shared/db/entities/person.ts';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// docs/reference/sessions.md#people: one account with roles on several sites.

const at = '/api/admin/session';
const wrong = failure(401, 'unauthorized', 'wrong email address or password');

/** Starts an app with an account that owns one site and edits another, which has a domain. */
async function startOnTwo() {
  const app = await startApp();
  const login = await app.seed.owner();
  const own = await app.seed.ownSite();
  const other = await app.seed.site({ custom_domain: 'other.example.com' });
  const [person] = await app.deps.database.em.execute<{ id: string }[]>('select id from people');
  app.clock.advance({ seconds: 1 });
  await app.deps.database.em.fork().insert(SitePerson, {
    ...{ site_id: other, person_id: person?.id ?? '', role: 'editor', created: app.clock.now() },
  });
  const sites = [
    { id: own, name: 'A site', role: 'owner' },
    { id: other, name: 'A site', role: 'editor' },
  ];
  const signIn = async (body: object, host = 'localhost') => app.atHost(host, 'POST', at, { body });
  return { app, login, own, other, sites, signIn, [Symbol.asyncDispose]: app[Symbol.asyncDispose] };
}

const tokenOf = ({ body }: { body: unknown }) => z.object({ token: z.string() }).parse(body).token;

test('an account with several sites must choose one, after the password was accepted', async () => {
  await using two = await startOnTwo();
  const { login, own, other, sites, signIn } = two;
  expect(await signIn(login)).toMatchObject({
    status: 409,
    body: { error: { code: 'site_required', sites } },
  });
  expect(await signIn({ ...login, password: 'another password' })).toEqual(wrong);
  for (const [site_id, role] of [
    [own, 'owner'],
    [other, 'editor'],
  ]) {
    const answer = await signIn({ ...login, site_id });
    expect(answer).toMatchObject({ status: 201, body: { role } });
    expect(await two.app.get(at, { key: tokenOf(answer) })).toMatchObject({
      body: { role, site: { id: site_id } },
    });
  }
});

test('signing in to a site without a role there fails like a wrong password', async () => {
  await using two = await startOnTwo();
  const site_id = await two.app.seed.site();
  expect(await two.signIn({ ...two.login, site_id })).toEqual(wrong);
});

test('signing in at the host of a site selects that site, and another site_id fails like a wrong password', async () => {
  await using two = await startOnTwo();
  const { login, own, other, signIn } = two;
  const host = 'other.example.com';
  expect(await signIn(login, host)).toMatchObject({ status: 201, body: { role: 'editor' } });
  expect(await signIn({ ...login, site_id: own }, host)).toEqual(wrong);
  expect((await signIn({ ...login, site_id: other }, host)).status).toBe(201);
});

test('a person can switch to another of their sites without the password, and the first session stays valid', async () => {
  await using two = await startOnTwo();
  const { app, login, own, other, sites, signIn } = two;
  const token = tokenOf(await signIn({ ...login, site_id: own }));
  const { studio } = ownerClient(app.baseUrl, token);
  expect(await studio.sites.list.query()).toEqual({ data: sites });
  const entered = await studio.sites.enter.mutate({ id: other });
  expect(entered).toMatchObject({ role: 'editor', owner: { email: login.email } });
  const there = ownerClient(app.baseUrl, entered.token).studio;
  expect(await there.site.shown.query()).toMatchObject({ id: other });
  expect(await refusal(there.site.get.query())).toMatchObject({ code: 'insufficient_role' });
  expect(await studio.site.shown.query()).toMatchObject({ id: own });
  const stranger = await app.seed.site();
  expect(await refusal(studio.sites.enter.mutate({ id: stranger }))).toMatchObject({ code: 'not_found' });
  // The switch back is recorded in the audit log of the site that is entered.
  await there.sites.enter.mutate({ id: own });
  const { items } = await studio.audit.list.query({ action: ['studio.sites.enter'] });
  expect(items).toMatchObject([{ actor: { name: 'Olive Owner' } }]);
});

test('a person who is removed from a site can no longer enter it, and keeps their other sites', async () => {
  await using two = await startOnTwo();
  const { app, login, own, other, signIn } = two;
  const { studio } = ownerClient(app.baseUrl, tokenOf(await signIn({ ...login, site_id: own })));
  const there = await studio.sites.enter.mutate({ id: other });
  const { token } = await app.seed.person('owner', other);
  await ownerClient(app.baseUrl, token).studio.people.remove.mutate({ id: there.owner.id });
  expect((await app.get(at, { key: there.token })).status).toBe(401);
  expect(await refusal(studio.sites.enter.mutate({ id: other }))).toMatchObject({ code: 'not_found' });
  expect(await signIn(login)).toMatchObject({ status: 201, body: { role: 'owner' } });
});
