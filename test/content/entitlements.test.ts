import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GateReason } from '../../shared/contract/resources/access-tier.ts';
import { startApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

// Bodies that an X-Member-Token unlocks, on v1 and v2.

const mail = await startMailServer();
const app = await startApp({ smtpUrl: mail.url });
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await mail.close();
});

const ourSite = await app.seed.ownSite();
const theirSite = await app.seed.site({ subdomain: 'theirs' });
const key = await app.seed.key({ scopes: ['read', 'read:content'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(ourSite));
const { studio: theirStudio } = ownerClient(app.baseUrl, await app.seed.ownerToken(theirSite));
await studio.site.update.mutate({ subdomain: 'ours' });

const reasons: Record<string, GateReason | null> = {
  free: null,
  registered: 'registered_login_required',
  paid: 'purchase_required',
  members: 'subscription_required',
  gold: 'unknown_access_tier',
};
const tiers = Object.keys(reasons);
/** IDs of the posts by tier. Title and slug of each post are its tier, and its body contains the tier. */
const posts = new Map<string, string>();

beforeAll(async () => {
  for (const tier of tiers) {
    const post = { title: tier, content: `Body of ${tier}`, access_tier: tier };
    posts.set(tier, (await studio.posts.create.mutate(post)).id);
  }
});

const signIn = (name: string, host = 'ours.localhost') =>
  signInByMail(app, mail, { email: `${name}@example.com`, host });

const hold = (id: string, access_tiers: ('free' | 'registered' | 'paid' | 'members')[]) =>
  studio.members.update.mutate({ id, access_tiers });

const buy = (name: string, content_id: string, content_type: 'posts' | 'projects' = 'posts') =>
  studio.purchases.record.mutate({
    buyer_email: `${name}@example.com`,
    content_type,
    content_id,
    amount: 9.5,
    currency: 'EUR',
  });

interface ShownPost {
  title: string;
  content?: string;
  is_gated?: true;
  gate_reason?: GateReason;
}

/** Returns the tiers whose bodies the token unlocks. Fails if lists and single reads disagree. */
async function opened(token: string | undefined): Promise<string[]> {
  const options = { key, headers: token === undefined ? {} : { 'x-member-token': token } };
  const read = async (path: string) => {
    const { status, body } = await app.get(path, options);
    expect(status).toBe(200);
    return body;
  };
  const { data } = (await read('/api/v1/posts?sort=created')) as { data: ShownPost[] };
  const { items } = (await read('/api/v2/posts')) as { items: ShownPost[] };
  const slugs = tiers.map((tier) => read(`/api/v1/posts/${tier}`));
  const ids = tiers.map((tier) => read(`/api/v2/posts/${posts.get(tier)}`));
  const ways = [data, items, await Promise.all(slugs), await Promise.all(ids)] as ShownPost[][];
  const [first, ...others] = ways.map((shown) =>
    shown
      .map(({ title, content, is_gated, gate_reason }) => ({ title, content, is_gated, gate_reason }))
      .sort((a, b) => tiers.indexOf(a.title) - tiers.indexOf(b.title)),
  );
  for (const other of others) expect(other).toEqual(first);
  const open = (first ?? []).filter(({ is_gated }) => !is_gated).map(({ title }) => title);
  const expected = tiers.map((tier) =>
    open.includes(tier)
      ? { title: tier, content: `Body of ${tier}` }
      : { title: tier, is_gated: true, gate_reason: reasons[tier] },
  );
  expect(first).toEqual(expected);
  return open;
}

test('without a token only the free body is readable', async () => {
  expect(await opened(undefined)).toEqual(['free']);
});

test('a value that is not a valid session token grants no access', async () => {
  const { token } = await signIn('somebody');
  for (const bad of [
    '',
    'x',
    'null',
    `svc_member_${'a'.repeat(43)}`,
    `${token}x`,
    token.slice(0, -1),
    token.toUpperCase(),
    `Bearer ${token}`,
    `${token}, ${token}`,
    "svc_member_'; drop table members; --",
  ])
    expect([bad, await opened(bad)]).toEqual([bad, ['free']]);
});

test('neither an API key nor an owner token works as a member token', async () => {
  expect(await opened(key)).toEqual(['free']);
  expect(await opened(await app.seed.ownerToken(ourSite))).toEqual(['free']);
});

test('any active member can read posts for registered readers', async () => {
  expect(await opened((await signIn('grace')).token)).toEqual(['free', 'registered']);
});

test('the tier `paid` unlocks every paid body, the tier `members` every body for members', async () => {
  const paying = await signIn('paying');
  await hold(paying.member.id, ['paid']);
  expect(await opened(paying.token)).toEqual(['free', 'registered', 'paid']);
  const subscribed = await signIn('subscribed');
  await hold(subscribed.member.id, ['members']);
  expect(await opened(subscribed.token)).toEqual(['free', 'registered', 'members']);
  const both = await signIn('both');
  await hold(both.member.id, ['free', 'registered', 'paid', 'members']);
  expect(await opened(both.token)).toEqual(['free', 'registered', 'paid', 'members']);
  await hold(both.member.id, []);
  expect(await opened(both.token)).toEqual(['free', 'registered']);
});

test('a purchase unlocks the purchased post, and no other', async () => {
  const { id: other } = await studio.posts.create.mutate({
    title: 'Other',
    access_tier: 'paid',
    content: 'X',
  });
  const { token } = await signIn('buyer');
  await buy('buyer', other);
  const headers = { 'x-member-token': token };
  expect(await app.get('/api/v1/posts/other', { key, headers })).toMatchObject({ body: { content: 'X' } });
  await studio.posts.delete.mutate({ id: other });
  expect(await opened(token)).toEqual(['free', 'registered']);
  await buy('buyer', posts.get('paid') ?? '');
  expect(await opened(token)).toEqual(['free', 'registered', 'paid']);
});

test('each of many purchases unlocks its post from the next request until it is revoked, on pages too', async () => {
  const { token } = await signIn('keen');
  const db = app.deps.database.em;
  const paid = posts.get('paid') ?? '';
  const readPage = async () => {
    const headers = { host: 'ours.localhost', cookie: `member=${token}` };
    return (await request(`${app.baseUrl}/posts/paid`, { headers })).body.text();
  };
  await db.execute(
    `insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created)
     select ?, 'keen' || n, 'keen@example.com', 'posts', 'content' || n % 1200, 1, 'EUR', now() - n * interval '1 minute'
     from generate_series(1, 3000) n`,
    [ourSite],
  );
  expect(await opened(token)).toEqual(['free', 'registered']);
  expect(await readPage()).not.toContain('Body of paid');
  // The oldest of all purchases of this member.
  await db.execute(
    `insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created)
     values (?, 'keen', 'keen@example.com', 'posts', ?, 1, 'EUR', timestamptz '2020-01-01')`,
    [ourSite, paid],
  );
  expect(await opened(token)).toEqual(['free', 'registered', 'paid']);
  expect(await readPage()).toContain('Body of paid');
  await db.execute(`delete from purchases where site_id = ? and content_id = ?`, [ourSite, paid]);
  expect(await opened(token)).toEqual(['free', 'registered']);
  expect(await readPage()).not.toContain('Body of paid');
  await db.execute(`delete from purchases where site_id = ? and buyer_email = 'keen@example.com'`, [ourSite]);
});

test('a purchase unlocks its post in tier members too, and nothing in an unknown tier', async () => {
  const { token } = await signIn('generous');
  for (const tier of ['members', 'gold']) await buy('generous', posts.get(tier) ?? '');
  expect(await opened(token)).toEqual(['free', 'registered', 'members']);
});

test('a purchase of a record of another collection unlocks no post', async () => {
  const { token } = await signIn('collector');
  const { id } = await studio.projects.create.mutate({ title: 'Project' });
  await buy('collector', id, 'projects');
  expect(await opened(token)).toEqual(['free', 'registered']);
});

test('a purchase entitles a member who registers later with the same address, in any letter case', async () => {
  await studio.purchases.record.mutate({
    buyer_email: 'Early.Bird@Example.com',
    content_type: 'posts',
    content_id: posts.get('paid') ?? '',
    amount: 0,
    currency: 'EUR',
  });
  expect(await opened((await signIn('early.bird')).token)).toEqual(['free', 'registered', 'paid']);
});

test('blocking a member ends access with the next request, and unblocking restores it', async () => {
  const { token, member } = await signIn('troll');
  await hold(member.id, ['members']);
  expect(await opened(token)).toEqual(['free', 'registered', 'members']);
  await studio.members.update.mutate({ id: member.id, status: 'blocked' });
  expect(await opened(token)).toEqual(['free']);
  await studio.members.update.mutate({ id: member.id, status: 'active' });
  expect(await opened(token)).toEqual(['free', 'registered', 'members']);
});

test('a session token returns its member until the session ends', async () => {
  const { token, member } = await signIn('who-am-i');
  const whose = (given: string) =>
    visitorClient(app.baseUrl, { host: 'ours.localhost', 'x-member-token': given }).site.members.get.query();
  await hold(member.id, ['members']);
  expect(await whose(token)).toMatchObject({ id: member.id, email: member.email, access_tiers: ['members'] });
  await studio.members.update.mutate({ id: member.id, status: 'blocked' });
  const ended = { code: 'unauthorized', message: 'missing, invalid or expired X-Member-Token' };
  for (const given of [token, 'svc_member_', '']) expect(await refusal(whose(given))).toEqual(ended);
});

test('signing out ends that session immediately, and no other session of the member', async () => {
  const [one, two] = [await signIn('twice'), await signIn('twice')];
  const signOut = (token: string) =>
    visitorClient(app.baseUrl, {
      host: 'ours.localhost',
      'x-member-token': token,
    }).site.members.signOut.mutate();
  expect(await signOut(one.token)).toEqual({ status: 'deleted' });
  expect(await opened(one.token)).toEqual(['free']);
  expect(await opened(two.token)).toEqual(['free', 'registered']);
  const ended = { code: 'unauthorized', message: 'missing, invalid or expired X-Member-Token' };
  expect(await refusal(signOut(one.token))).toEqual(ended);
  expect(
    await refusal(visitorClient(app.baseUrl, { host: 'ours.localhost' }).site.members.signOut.mutate()),
  ).toEqual(ended);
});

test("a session of another site's member grants no access", async () => {
  const { token, member } = await signIn('neighbour', 'theirs.localhost');
  await theirStudio.members.update.mutate({ id: member.id, access_tiers: ['paid', 'members'] });
  expect(await opened(token)).toEqual(['free']);
});

test("another site's purchase by the same address unlocks nothing here", async () => {
  const { token } = await signIn('traveller');
  const { id } = await theirStudio.posts.create.mutate({ title: 'Theirs', access_tier: 'paid' });
  await app.deps.database.em.execute(
    `insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created)
     values (?, 'p00000000000001', 'traveller@example.com', 'posts', ?, 1, 'EUR', now())`,
    [theirSite, posts.get('paid') ?? ''],
  );
  expect(id).not.toBe(posts.get('paid'));
  expect(await opened(token)).toEqual(['free', 'registered']);
});

test('a session unlocks bodies for thirty days', async () => {
  const { token } = await signIn('patient');
  app.clock.advance({ days: 30, ms: -1 });
  expect(await opened(token)).toEqual(['free', 'registered']);
  app.clock.advance({ ms: 1 });
  expect(await opened(token)).toEqual(['free']);
});
