import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKeySecret } from '../../server/api/access/credentials.ts';
import { restProceduresOf } from '../../server/api/procedures.ts';
import { restRouter } from '../../server/api/router/app-router.ts';
import { fillWithExample } from '../../server/demo/fill.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { hashSecret } from '../../shared/runtime/secret-box.ts';
import { expectUsedUp, startComparing } from '../support/compare-routes.ts';
import { demoPages } from '../support/demo-site.ts';
import { firefox } from '../support/rpc.ts';

// A cached response is sent by the fast path, without its route. These tests compare both responses byte for byte.

const comparing = await startComparing();
afterAll(() => comparing[Symbol.asyncDispose]());
const { app, ask: request, known, unknown, expectSame } = comparing;

const siteId = await app.seed.ownSite();
await fillWithExample(app.deps, siteId);
const key = await app.seed.key({ scopes: scopeNames });

type Headers = Record<string, string>;
const credential = (secret: string): Headers => ({ Authorization: `Bearer ${secret}` });
const headersFor = (path: string) => (path.startsWith('/api/') ? credential(key) : {});

const templates = restProceduresOf(restRouter)
  .filter(({ meta }) => meta.cached !== undefined && meta.access === 'key')
  .map(({ meta }) => meta.openapi.path);
const texts = ['/posts/type-safe-apis.md', '/feed.xml', '/feed.json', '/sitemap.xml'];
const pages = [
  ...demoPages.filter((path) => path !== '/nothing'),
  ...['/posts?page=1', ...texts, '/robots.txt', '/llms.txt', '/favicon.svg'],
];

/** Path of an endpoint, with a record of the example site for its parameter. */
async function pathOf(template: string): Promise<string> {
  const [, list = template, parameter] = /^(.+)\/{(\w+)}$/.exec(template) ?? [];
  if (!parameter) return template;
  const { body } = await app.get(list, { key });
  const { data, items } = body as Record<'data' | 'items', Record<string, string>[] | undefined>;
  return `${list}/${(data ?? items)?.[0]?.[parameter]}`;
}

test.for([...templates, ...pages])(
  'the response of the fast path to %s equals the response of its route',
  async (template) => {
    const path = await pathOf(template);
    const headers = headersFor(path);
    const { answer, ways } = await expectSame(path, await known(path, headers), { headers });
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(ways).toEqual([true, false]);
  },
);

/** A list with a next page, a record, and a page of the site. */
describe.for(['/api/v1/posts?limit=1', '/api/v1/posts/{slug}', '/'])('with the path %s', (template) => {
  let path: string;
  let address: string;
  beforeAll(async () => {
    path = await pathOf(template);
    address = await known(path, headersFor(path));
  });
  const sameWith = (headers: Headers) =>
    expectSame(path, address, { headers: { ...headersFor(path), ...headers } });

  test.for<[title: string, headers: Headers]>([
    ['to a browser of another origin', { Origin: 'https://elsewhere.example' }],
    [
      'to a browser that requests a page',
      { Accept: 'text/html', 'User-Agent': firefox, Referer: 'https://a.example/' },
    ],
    ['to a client that accepts no compression', { 'Accept-Encoding': 'identity' }],
    ['with a forwarded client address', { 'X-Forwarded-For': '1.2.3.4', 'User-Agent': 'a client' }],
    ['with other cookies', { Cookie: 'theme=dark; remember=member=1; members=x' }],
    ['at an IP address', { Host: '127.0.0.1' }],
    ['at a host in capitals, with a final dot', { Host: 'LOCALHOST.:80' }],
    ['with the tag of another response', { 'If-None-Match': '"other", W/"another"' }],
  ])('the fast path sends the same response as the route %s', async ([, headers]) => {
    expect((await sameWith(headers)).ways).toEqual([true, false]);
  });

  test.for(['gzip', 'br', 'gzip;q=0.5, br;q=0'])(
    'the fast path sends the same compressed response as the route, for Accept-Encoding %s',
    async (coding) => {
      const headers = { 'Accept-Encoding': coding };
      // A compressed version is created by the first request for it.
      await request({ path: unknown(path), headers: { ...headersFor(path), ...headers } });
      expect((await sameWith(headers)).ways).toEqual([true, false]);
    },
  );

  test('the fast path sends the same 304 as the route to a client that has the response', async () => {
    const { answer } = await request({ path: address, headers: headersFor(path) });
    const [, etag = ''] = /^etag: (.*)$/m.exec(answer) ?? [];
    const unchanged = await sameWith({ 'If-None-Match': etag });
    expect(unchanged.answer).toMatch(/^HTTP\/1.1 304 Not Modified/);
    expect(unchanged.ways).toEqual([true, false]);
  });

  test.for<[title: string, headers: () => Headers | Promise<Headers>]>([
    ['without a key', () => ({ Authorization: '' })],
    ['with a malformed key', () => credential('svc_live_nothing')],
    ["with an owner's token", async () => credential(await app.seed.ownerToken())],
    ['with an unknown key', () => credential(newKeySecret('another', randomBytes))],
    ['with a disabled key', async () => credential(await app.seed.key({ active: false }))],
    ['with an expired key', async () => credential(await app.seed.key({ expiry: new Date(0) }))],
    ['with a key without the scope', async () => credential(await app.seed.key({ scopes: ['write'] }))],
    ['with a key for another origin', async () => credential(await restricted())],
    ['with an invalid Host', () => ({ Host: 'a b' })],
    ["with a member's token", () => ({ 'X-Member-Token': 'svc_member_x' })],
    ['with a body', () => ({ 'Content-Length': '0' })],
    ['with a header twice', () => ({ ...credential(key), authorization: 'Bearer other' })],
  ])('the fast path and the route send the same response, %s', async ([, headers]) => {
    await sameWith(await headers());
  });

  test.for(['HEAD', 'DELETE'])('the fast path and the route send the same response to %s', async (method) => {
    await expectSame(path, address, { method, headers: headersFor(path) });
  });
});

const restricted = () => app.seed.key({ scopes: scopeNames, allowed_origins: ['https://ada.example.com'] });

test('a key that is disabled is refused by the next request', async () => {
  const secret = await app.seed.key();
  const headers = credential(secret);
  const path = await known('/api/v1/skills', headers);
  expect((await request({ path, headers })).isRouted).toBe(false);
  const [{ id } = { id: '' }] = await app.deps.database.em.execute<{ id: string }[]>(
    'update api_keys set active = false where key_hash = ? returning id',
    [hashSecret(secret)],
  );
  expect(id).not.toBe('');
  expect((await request({ path, headers })).answer).toMatch(/^HTTP\/1.1 403 .*key_disabled/s);
});

test('a write is visible in the next response', async () => {
  const path = await known('/api/v1/skills', credential(key));
  await app.post('/api/v1/skills', { key, body: { name: 'Quite new' } });
  expect((await request({ path, headers: credential(key) })).answer).toContain('Quite new');
});

describe.for(['/api/v1/skills', '/'])('with the path %s', (path) => {
  test('each request of the fast path counts in the rate limit, and is refused over it', async () => {
    const tier = { perMinute: 60, burst: 6 };
    await using limited = await startComparing({ limits: { normal: tier, site: tier } });
    const headers = credential(await limited.app.seed.key());
    const address = await limited.known(path, headers);
    const answers = [];
    for (let times = 0; times < 4; times++) answers.push(await limited.ask({ path: address, headers }));
    expectUsedUp(answers);
    const usual = await limited.ask({ path: limited.unknown(path), headers });
    expect(answers[3]?.answer).toBe(usual.answer);
    limited.app.clock.advance({ seconds: 1 });
    expect((await limited.ask({ path: address, headers })).isRouted).toBe(false);
  });

  test('the fast path sets Strict-Transport-Security over HTTPS, and refuses plain HTTP', async () => {
    const config = { publicUrl: new URL('https://site.example'), trustProxy: ['127.0.0.0/8'] };
    await using behind = await startComparing({ config });
    const secret = await behind.app.seed.key();
    const address = behind.unknown(path);
    const over = (protocol: string, own: Headers = {}) =>
      behind.ask({
        path: address,
        headers: { ...credential(secret), 'X-Forwarded-Proto': protocol, ...own },
      });
    const answers = [await over('https'), await over('https'), await over('https')];
    expect(answers.map(({ isRouted }) => isRouted)).toEqual([true, true, false]);
    expect(answers[2]?.answer).toBe(answers[1]?.answer);
    expect(answers[2]?.answer).toContain('strict-transport-security: max-age=');
    expect((await over('http')).answer).toContain('HTTPS is required');
    for (const name of path === '/' ? ['member', '__Host-member'] : [])
      expect((await over('https', { Cookie: `${name}=svc_member_x` })).isRouted).toBe(true);
  });
});

// This test is the last one, because it adds a second site.
test('the fast path and the route send the same 401 at the host of another site', async () => {
  const host = `${randomUUID()}.example`;
  await app.seed.site({ custom_domain: host });
  const path = '/api/v1/posts';
  const headers = credential(key);
  const { answer } = await expectSame(path, await known(path, headers), {
    headers: { ...headers, Host: host },
  });
  expect(answer).toMatch(/^HTTP\/1.1 401/);
});
