import { expect, test } from 'vitest';
import { createSite } from '../../server/accounts/sites/store.ts';
import { defaultTheme } from '../../shared/contract/features/theme.ts';
import { startApp } from '../support/app.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

// Settings and profile of a site, and the selection of the site by host.

async function startSite(publicUrl = 'http://localhost:3000') {
  const app = await startApp({ config: { publicUrl: new URL(publicUrl) } });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const subscribe = (host: string) =>
    visitorClient(app.baseUrl, { host }).site.newsletter.subscribe.mutate({ email: 'a@example.com' });
  return { ...app, studio, subscribe };
}

const updated = { status: 'updated' };
const invalid = (message: unknown) => ({ code: 'validation_failed', message });

test('an owner can read and change the profile, and v1 returns it', async () => {
  await using app = await startSite();
  const key = await app.seed.key();
  const before = await app.studio.profile.get.query();
  app.clock.advance({ minutes: 1 });
  expect(await app.studio.profile.update.mutate({})).toEqual(updated);
  expect(await app.studio.profile.get.query()).toEqual(before);
  const whole = {
    name: 'Ada Marsh',
    headline: 'I build',
    summary: 'Engineer',
    location: 'Porto',
    avatar_url: 'https://cdn.example.com/ada.jpg',
    website: 'https://ada.example.com',
    github: 'https://git.example.com/ada',
    linkedin: 'https://people.example.com/ada',
    twitter: 'https://social.example.com/ada',
    email: 'ada@example.com',
    cta_text: 'Work with me',
    cta_url: 'https://ada.example.com/work',
    cta_enabled: true,
  };
  expect(await app.studio.profile.update.mutate(whole)).toEqual(updated);
  expect(await app.studio.profile.get.query()).toEqual({ ...whole, updated: app.clock.now() });
  expect(await app.get('/api/v1/profile', { key })).toEqual({
    status: 200,
    body: { ...whole, updated: '2026-01-31 09:06:00.123Z' },
  });
  await app.studio.profile.update.mutate({ email: null, website: '', cta_enabled: null });
  expect(await app.studio.profile.get.query()).toMatchObject({ email: '', website: '', cta_enabled: false });
});

test('an invalid profile field is refused with its name, and nothing is changed', async () => {
  await using app = await startSite();
  const before = await app.studio.profile.get.query();
  for (const [field, value] of [
    ['name', 'x'.repeat(201)],
    ['summary', 'x'.repeat(50_001)],
    ['website', 'javascript:alert(1)'],
    ['email', 'ada@example.com\r\nBcc: eve@example.com'],
    ['email', 'ada'],
    ['cta_enabled', 'yes'],
    ['updated', '2026-01-01'],
  ] as const) {
    const call = app.studio.profile.update.mutate({ headline: 'Half', [field]: value });
    expect([field, await refusal(call)]).toEqual([field, invalid(expect.stringContaining(field))]);
  }
  expect(await app.studio.profile.get.query()).toEqual(before);
});

test('an owner can read and change the settings of the site', async () => {
  await using app = await startSite();
  const before = await app.studio.site.get.query();
  expect(before).toEqual({
    id: await app.seed.ownSite(),
    name: 'A site',
    plan: 'pro',
    subdomain: null,
    custom_domain: null,
    mcp_enabled: true,
    language: 'en',
    currency: null,
    time_zone: 'UTC',
    theme: defaultTheme,
    newsletter: { confirm: null, from_name: '', reply_to: '', postal_address: '' },
    selling: { terms_url: '', note: '' },
    created: app.clock.now(),
    updated: app.clock.now(),
    origin: null,
  });
  app.clock.advance({ minutes: 1 });
  expect(await app.studio.site.update.mutate({})).toEqual(updated);
  expect(await app.studio.site.get.query()).toEqual(before);
  const changes = { name: 'Ada', subdomain: 'Ada', custom_domain: 'WWW.Ada.Example.com', mcp_enabled: false };
  expect(await app.studio.site.update.mutate(changes)).toEqual(updated);
  const stored = {
    ...changes,
    subdomain: 'ada',
    custom_domain: 'www.ada.example.com',
    updated: app.clock.now(),
    origin: 'http://www.ada.example.com',
  };
  expect(await app.studio.site.get.query()).toEqual({ ...before, ...stored });
  await app.studio.site.update.mutate({ subdomain: null, custom_domain: null });
  expect(await app.studio.site.get.query()).toMatchObject({
    name: 'Ada',
    subdomain: null,
    custom_domain: null,
    origin: null,
  });
});

test("the origin of a site without its own domain is its subdomain of the service's host", async () => {
  await using app = await startSite();
  await app.studio.site.update.mutate({ subdomain: 'ada' });
  const { host } = app.deps.config.publicUrl;
  expect(await app.studio.site.get.query()).toMatchObject({ origin: `http://ada.${host}` });
});

test('a change of the theme is merged, and invalid values are refused', async () => {
  await using app = await startSite();
  await app.studio.site.update.mutate({ theme: { accent: '#0A7B5C', sections: ['talks', 'posts'] } });
  await app.studio.site.update.mutate({ theme: { scheme: 'dark' }, language: 'pt-BR' });
  const theme = { ...defaultTheme, accent: '#0a7b5c', sections: ['talks', 'posts'], scheme: 'dark' };
  expect(await app.studio.site.get.query()).toMatchObject({ theme, language: 'pt-BR' });
  for (const wrong of [
    { theme: { accent: 'red' } },
    { theme: { accent: '#fff' } },
    { theme: { look: 'brutal' } },
    { theme: { logo: 'javascript:alert(1)' } },
    { theme: { icon: '/icon.png' } },
    { theme: { font: 'comic' } },
    { theme: { width: 'full' } },
    { theme: { scheme: 'blue' } },
    { theme: { sections: ['posts', 'posts'] } },
    { theme: { sections: ['shop'] } },
    { theme: { css: 'body{}' } },
    { language: 'not a language' },
    { language: '' },
  ] as object[])
    expect([wrong, await refusal(app.studio.site.update.mutate(wrong))]).toEqual([
      wrong,
      invalid(expect.stringMatching(/theme|language/)),
    ]);
  expect(await app.studio.site.get.query()).toMatchObject({ theme, language: 'pt-BR' });
});

test('a currency can be set and removed, and is stored in capitals', async () => {
  await using app = await startSite();
  await app.studio.site.update.mutate({ currency: 'eur' });
  expect(await app.studio.site.get.query()).toMatchObject({ currency: 'EUR' });
  await app.studio.site.update.mutate({ currency: null });
  expect(await app.studio.site.get.query()).toMatchObject({ currency: null });
});

test('a time zone is an IANA name; offsets and abbreviations are refused', async () => {
  await using app = await startSite();
  const good = [
    'America/Sao_Paulo',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'US/Pacific',
    'Etc/GMT+3',
  ];
  for (const time_zone of [...good, 'America/Argentina/Buenos_Aires', 'GMT', 'Japan', 'UTC']) {
    await app.studio.site.update.mutate({ time_zone });
    expect(await app.studio.site.get.query()).toMatchObject({ time_zone });
    expect(await app.studio.site.shown.query()).toMatchObject({ time_zone });
  }
  const offsets = ['+03:00', '-0300', '+03', 'GMT+3', 'UTC-3', 'Z'];
  const others = [
    'PST',
    'IST',
    'bst',
    'SystemV/EST5',
    'Mars/Olympus',
    'America',
    '',
    ' UTC',
    'UTC\n',
    'Europe/',
    null,
  ];
  for (const time_zone of [...offsets, ...others, 'a/'.repeat(40), 3, '../../etc/passwd'] as string[])
    expect([time_zone, await refusal(app.studio.site.update.mutate({ time_zone }))]).toEqual([
      time_zone,
      invalid(expect.stringContaining('time_zone')),
    ]);
  expect(await app.studio.site.get.query()).toMatchObject({ time_zone: 'UTC' });
});

test('invalid settings are refused with the name of the field, and an owner cannot change the plan', async () => {
  await using app = await startSite();
  const wrong: [field: string, input: object][] = [
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['subdomain', { subdomain: '' }],
    ['subdomain', { subdomain: 'a.b' }],
    ['subdomain', { subdomain: '-a' }],
    ['subdomain', { subdomain: 'a_b' }],
    ['subdomain', { subdomain: 'x'.repeat(64) }],
    ['custom_domain', { custom_domain: 'localhost' }],
    ['custom_domain', { custom_domain: 'https://ada.example.com' }],
    ['custom_domain', { custom_domain: 'ada.example.com:80' }],
    ['custom_domain', { custom_domain: 'ada.example.com\n' }],
    ['custom_domain', { custom_domain: '10.0.0.10' }],
    ['custom_domain', { custom_domain: '127.0.0.1' }],
    ['mcp_enabled', { mcp_enabled: 'no' }],
    ['currency', { currency: 'EURO' }],
    ['currency', { currency: 'XYZ' }],
    ['currency', { currency: '' }],
    ['plan', { plan: 'pro' }],
    ['id', { id: 'x' }],
  ];
  for (const [field, input] of wrong) {
    const call = app.studio.site.update.mutate({ name: 'Half', ...input });
    expect([input, await refusal(call)]).toEqual([input, invalid(expect.stringContaining(field))]);
  }
  expect(await app.studio.site.get.query()).toMatchObject({ name: 'A site', subdomain: null });
});

test('a reserved subdomain is refused, and a site that already has it keeps it', async () => {
  await using app = await startSite();
  const reserved = invalid('subdomain: is reserved; choose another');
  for (const subdomain of ['www', 'api', 'app', 'admin', 'login', 'mail', 'studio', 'autodiscover', 'WWW']) {
    const call = app.studio.site.update.mutate({ subdomain });
    expect([subdomain, await refusal(call)]).toEqual([subdomain, reserved]);
  }
  const made = createSite(app.deps, { name: 'Another', plan: 'pro', subdomain: 'login' });
  await expect(made).rejects.toThrow('subdomain: is reserved');
  await app.deps.database.em.execute(`update sites set subdomain = 'www'`);
  await app.studio.site.update.mutate({ subdomain: 'www', name: 'As before' });
  expect(await app.studio.site.get.query()).toMatchObject({ name: 'As before', subdomain: 'www' });
});

test('a domain of another site is refused, even if two sites request it concurrently', async () => {
  await using app = await startSite();
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const domains = [
    ['subdomain', { subdomain: 'ada' }],
    ['custom_domain', { custom_domain: 'ada.example.com' }],
  ] as const;
  for (const [field, domain] of domains) {
    const taken = invalid(`${field}: already in use by another site`);
    const both = [app.studio.site.update.mutate(domain), theirs.site.update.mutate(domain)];
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const loser = outcomes[0]?.status === 'rejected' ? app.studio : theirs;
    expect(await refusal(loser.site.update.mutate({ name: 'Half', ...domain }))).toEqual(taken);
    expect(await loser.site.get.query()).toMatchObject({ name: 'A site' });
  }
});

test("the service's own host and its subdomains cannot be custom domains", async () => {
  await using app = await startSite('http://creators.example.com');
  const key = await app.seed.key();
  for (const custom_domain of ['creators.example.com', 'Creators.example.com', 'other.creators.example.com'])
    expect(await refusal(app.studio.site.update.mutate({ custom_domain }))).toEqual(
      invalid('custom_domain: must not be a subdomain of creators.example.com'),
    );
  expect(await app.studio.site.update.mutate({ custom_domain: 'notcreators.example.com' })).toEqual(updated);
  expect((await app.atHost('creators.example.com', 'GET', '/api/v1/posts', { key })).status).toBe(200);
});

test("a site that an operator assigned to the service's own host is shown there, and keys of all sites work there", async () => {
  await using app = await startSite('http://creators.example.com');
  const shown = await app.seed.site({ custom_domain: 'creators.example.com' });
  for (const key of [await app.seed.key(), await app.seed.key({ siteId: shown })])
    expect((await app.atHost('creators.example.com', 'GET', '/api/v1/posts', { key })).status).toBe(200);
  expect(await app.subscribe('creators.example.com')).toEqual({});
});

test('a public call applies to the site of its host', async () => {
  await using app = await startSite();
  const theirSite = await app.seed.site({ subdomain: 'theirs', custom_domain: 'theirs.example.com' });
  await app.studio.site.update.mutate({ subdomain: 'ours' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(theirSite)).studio;
  const totals = async () =>
    Promise.all([app.studio, theirs].map(async (studio) => (await studio.subscribers.list.query()).total));
  for (const host of [
    'theirs.localhost:3000',
    'THEIRS.LOCALHOST',
    'theirs.example.com',
    'theirs.example.com.',
  ])
    expect(await app.subscribe(host)).toEqual({});
  expect(await totals()).toEqual([0, 1]);
  expect(await app.subscribe('ours.localhost')).toEqual({});
  expect(await totals()).toEqual([1, 1]);
});

test('with several sites an unknown host is not found, and with one site it selects that site', async () => {
  await using app = await startSite();
  for (const host of ['localhost', '127.0.0.1:3000', 'nobody.example.com'])
    expect(await app.subscribe(host)).toEqual({});
  await app.seed.site({ subdomain: 'theirs' });
  for (const host of [
    'localhost',
    '127.0.0.1:3000',
    'nobody.example.com',
    'x.theirs.localhost',
    'x.localhost',
  ])
    expect(await refusal(app.subscribe(host))).toEqual({ code: 'not_found', message: 'not found' });
});

test('an owner can preview the home page with an unsaved theme, only at a host of the site', async () => {
  await using app = await startSite();
  await app.studio.profile.update.mutate({ headline: 'Writes about databases' });
  const theme = { ...defaultTheme, accent: '#0055aa', scheme: 'dark' as const, sections: ['posts' as const] };
  const { html, css } = await app.studio.site.preview.query({ theme });
  expect(html).toContain('<html lang="en" class="dark">');
  expect(html).toContain('Writes about databases');
  expect(html).not.toMatch(/rel="stylesheet"/);
  expect(css).toContain('color-scheme:dark');
  expect((await app.studio.site.get.query()).theme).toEqual(defaultTheme);

  await app.studio.site.update.mutate({ subdomain: 'ada' });
  await createSite(app.deps, { name: 'Another', plan: 'pro', subdomain: 'bob' });
  expect(await refusal(app.studio.site.preview.query({ theme }))).toMatchObject({ code: 'not_found' });
});
