import { request } from 'undici';
import { expect, test } from 'vitest';
import { ServerSettings, StartSettings } from '../../server/start/settings.ts';
import { startApp, type TestApp } from '../support/app.ts';

// Hosts that serve the studio: that of PUBLIC_URL, and every host that belongs to no site.

const publicUrl = new URL('https://content.example.com');
const overTls = { 'x-forwarded-proto': 'https' };

async function startSites(config: { studioUrl?: null } = {}) {
  const app = await startApp({ config: { publicUrl, trustProxy: ['127.0.0.1/32'], ...config } });
  await app.seed.site({ subdomain: 'ada', custom_domain: 'ada.example.org' });
  await app.seed.site({ subdomain: 'grace' });
  return app;
}

const send = async (app: TestApp, host: string, path: string, method: 'GET' | 'HEAD' = 'GET') => {
  const { statusCode, headers, body } = await request(app.baseUrl + path, {
    method,
    headers: { host, ...overTls },
  });
  await body.dump();
  return { status: statusCode, location: headers.location, cache: headers['cache-control'] };
};

const redirectTo = (path: string) => ({
  status: 302,
  location: `${publicUrl.origin}${path}`,
  cache: 'no-store',
});

test.for([
  ['its domain', 'ada.example.org'],
  ['its domain, with a port', 'ada.example.org:8443'],
  ['its domain in another spelling', 'ADA.example.org.'],
  ['its name below the service', 'grace.content.example.com'],
] as const)('the studio at the host of a site redirects to PUBLIC_URL: %s', async ([, host]) => {
  await using app = await startSites();
  for (const path of [
    '/studio',
    '/studio/',
    '/studio/posts?q=a%20b&page=2',
    '/studio/connect/mb3k9x2a7f0q1zd',
    '/studio/invitation',
    '/studio//elsewhere.example.com',
  ])
    for (const method of ['GET', 'HEAD'] as const)
      expect([path, await send(app, host, path, method)]).toEqual([path, redirectTo(path)]);
});

test('characters that a header cannot contain are encoded in the redirect', async () => {
  await using app = await startSites();
  const { location } = await send(app, 'ada.example.org', '/studio/posts?q=%0d%0aSet-Cookie:%20a=b');
  expect(location).toBe(`${publicUrl.origin}/studio/posts?q=%0d%0aSet-Cookie:%20a=b`);
});

test('the studio is served at PUBLIC_URL and at hosts that belong to no site', async () => {
  await using app = await startSites();
  for (const host of [
    'content.example.com',
    'content.example.com:443',
    '127.0.0.1',
    'localhost',
    'other.example',
  ])
    for (const path of ['/studio', '/studio/posts'])
      expect([host, (await send(app, host, path)).status]).toEqual([host, 200]);
});

test('the studio is served at PUBLIC_URL even if a site is shown there', async () => {
  await using app = await startSites();
  await app.seed.site({ custom_domain: publicUrl.hostname });
  expect((await send(app, publicUrl.hostname, '/studio')).status).toBe(200);
});

test('without a PUBLIC_URL the studio is served at every host, including those of sites', async () => {
  await using app = await startSites({ studioUrl: null });
  for (const host of ['ada.example.org', 'grace.content.example.com', 'localhost'])
    expect([host, (await send(app, host, '/studio/posts')).status]).toEqual([host, 200]);
});

test("the studio's address is PUBLIC_URL if it is set, and otherwise undefined", () => {
  const given = { DATABASE_URL: 'postgres://a@localhost/a', SECRET_KEY: 'a secret key of many characters' };
  const of = (settings: object) =>
    [ServerSettings, StartSettings].map((kind) => kind.parse({ ...given, ...settings }).studioUrl?.origin);
  expect(of({})).toEqual([undefined, undefined]);
  expect(of({ PUBLIC_URL: 'http://localhost:3000' })).toEqual(Array(2).fill('http://localhost:3000'));
});

test('assets and transfers of the studio are not redirected, because tabs may be open at the host of a site', async () => {
  await using app = await startSites();
  expect((await send(app, 'ada.example.org', '/studio/assets/none.js')).status).toBe(404);
  expect((await send(app, 'ada.example.org', '/studio/moves/mb3k9x2a7f0q1zd/none')).status).toBe(404);
});

test('the studio page is served even if the site of its host cannot be read', async () => {
  await using app = await startSites();
  await app.deps.database.em.execute('alter table sites rename to unreadable');
  expect((await send(app, 'ada.example.org', '/studio')).status).toBe(200);
});
