import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret, newKeySecret } from '../../server/access/credentials.ts';
import { fillWithExample } from '../../server/demo/fill.ts';
import { restProceduresOf } from '../../server/kernel/procedures.ts';
import { restRouter } from '../../server/router/rest-router.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { expectUsedUp, startComparing } from '../support/ways.ts';

// An address that was answered from memory is answered without its route from then on. Nobody can tell the difference.

const kept = restProceduresOf(restRouter).filter(
  ({ meta }) => meta.cached !== undefined && meta.access === 'key',
);

const comparing = await startComparing();
afterAll(() => comparing[Symbol.asyncDispose]());
const { app } = comparing;

const siteId = await app.seed.ownSite();
await fillWithExample(app.deps, siteId);
const key = await app.seed.key({ scopes: scopeNames });

const credential = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** An address that is known, and how it is asked for, with a key. */
async function knownTo(secret: string, path: string, { known, ask }: typeof comparing = comparing) {
  const headers = credential(secret);
  const address = await known(path, headers);
  return { address, ask: () => ask({ path: address, headers }) };
}

/** The path of an endpoint, with a record of the example site. */
async function pathOf(template: string): Promise<string> {
  const [, list = template, parameter] = /^(.+)\/{(\w+)}$/.exec(template) ?? [];
  if (!parameter) return template;
  const { body } = await app.get(list, { key });
  const { data, items } = body as Record<'data' | 'items', Record<string, string>[] | undefined>;
  return `${list}/${(data ?? items)?.[0]?.[parameter]}`;
}

describe.for(kept.map(({ meta }) => meta.openapi.path))('%s', (template) => {
  let path: string;
  let address: string;
  beforeAll(async () => {
    path = await pathOf(template);
    ({ address } = await knownTo(key, path));
  });

  const sameAs = (headers: Record<string, string>) => comparing.expectSame(path, address, { headers });

  test.for<[title: string, headers: Record<string, string>]>([
    ['as it is', {}],
    ['to a browser of another origin', { Origin: 'https://elsewhere.example' }],
    ['to one who takes no coding', { 'Accept-Encoding': 'identity' }],
    ['with parameters of connections', { 'X-Forwarded-For': '1.2.3.4', 'User-Agent': 'a client' }],
  ])('from memory, %s', async ([, headers]) => {
    const { answer, ways } = await sameAs({ ...credential(key), ...headers });
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(ways).toEqual([true, false]);
  });

  test.for(['gzip', 'br'])('from memory, in %s', async (coding) => {
    const headers = { ...credential(key), 'Accept-Encoding': coding };
    // Made when it is first asked for.
    await comparing.ask({ path: comparing.unknown(path), headers });
    expect((await sameAs(headers)).ways).toEqual([true, false]);
  });

  test('from memory, to one who has it', async () => {
    const { answer } = await comparing.ask({ path: address, headers: credential(key) });
    const [, etag = ''] = /^etag: (.*)$/m.exec(answer) ?? [];
    const unchanged = await sameAs({ ...credential(key), 'If-None-Match': etag });
    expect(unchanged.answer).toMatch(/^HTTP\/1.1 304 Not Modified/);
    expect(unchanged.ways).toEqual([true, false]);
  });

  test.for<[title: string, headers: () => Promise<Record<string, string>>]>([
    ['without a key', async () => ({})],
    ['with what is no key', async () => credential('svc_live_nothing')],
    ["with an owner's token", async () => credential(await app.seed.ownerToken())],
    ['with a key that nobody knows', async () => credential(newKeySecret('another', randomBytes))],
    ['with a key that is switched off', async () => credential(await app.seed.key({ active: false }))],
    ['with a key past its time', async () => credential(await app.seed.key({ expiry: new Date(0) }))],
    ['with a key short of scope', async () => credential(await app.seed.key({ scopes: ['write'] }))],
    ['with a key of another origin', async () => credential(await restricted())],
    ['at another site', async () => ({ ...credential(key), Host: await otherHost() })],
    ['at no host', async () => ({ ...credential(key), Host: 'a b' })],
    ["with a member's token", async () => ({ ...credential(key), 'X-Member-Token': 'svc_member_x' })],
    ['with a body', async () => ({ ...credential(key), 'Content-Length': '0' })],
    ['with a header twice', async () => ({ ...credential(key), authorization: 'Bearer other' })],
  ])('as ever, %s', async ([, headers]) => {
    await sameAs(await headers());
  });
});

const restricted = () => app.seed.key({ scopes: scopeNames, allowed_origins: ['https://ada.example.com'] });

async function otherHost(): Promise<string> {
  const domain = `${randomUUID()}.example`;
  await app.seed.site({ custom_domain: domain });
  return domain;
}

test('a key that is switched off is refused from the next request on', async () => {
  const secret = await app.seed.key();
  const { ask } = await knownTo(secret, '/api/v1/skills');
  expect((await ask()).isRouted).toBe(false);
  const [{ id } = { id: '' }] = await app.deps.database.em.execute<{ id: string }[]>(
    'update api_keys set active = false where key_hash = ? returning id',
    [hashSecret(secret)],
  );
  expect(id).not.toBe('');
  expect((await ask()).answer).toMatch(/^HTTP\/1.1 403 .*key_disabled/s);
});

test('what is written is in the next answer', async () => {
  const { ask } = await knownTo(key, '/api/v1/skills');
  await app.post('/api/v1/skills', { key, body: { name: 'Quite new' } });
  expect((await ask()).answer).toContain('Quite new');
});

test('each request counts, the one that is refused like any other', async () => {
  await using limited = await startComparing({ limits: { normal: { perMinute: 60, burst: 6 } } });
  const secret = await limited.app.seed.key();
  const { ask } = await knownTo(secret, '/api/v1/skills', limited);
  const answers = [await ask(), await ask(), await ask(), await ask()];
  expectUsedUp(answers);
  const path = limited.unknown('/api/v1/skills');
  const { answer } = await limited.ask({ path, headers: credential(secret) });
  expect(answers[3]?.answer).toBe(answer);
  limited.app.clock.advance({ seconds: 1 });
  expect((await ask()).isRouted).toBe(false);
});

test('over https it says so, and plain http is refused', async () => {
  const config = { publicUrl: new URL('https://site.example'), trustProxy: ['127.0.0.0/8'] };
  await using behind = await startComparing({ config });
  const secret = await behind.app.seed.key();
  const path = behind.unknown('/api/v1/skills');
  const over = (protocol: string) =>
    behind.ask({ path, headers: { ...credential(secret), 'X-Forwarded-Proto': protocol } });
  const answers = [await over('https'), await over('https'), await over('https')];
  expect(answers.map(({ isRouted }) => isRouted)).toEqual([true, true, false]);
  expect(answers[2]?.answer).toBe(answers[1]?.answer);
  expect(answers[2]?.answer).toContain('strict-transport-security: max-age=');
  expect((await over('http')).answer).toContain('HTTPS is required');
});
