import { randomBytes, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret, newKeySecret } from '../../server/access/credentials.ts';
import { fillWithExample } from '../../server/demo/fill.ts';
import { restProceduresOf } from '../../server/kernel/procedures.ts';
import { restRouter } from '../../server/router/rest-router.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { captureLog } from '../support/log.ts';

// An address that was answered from memory is answered without its route from then on. Nobody can tell the difference.

const kept = restProceduresOf(restRouter).filter(
  ({ meta }) => meta.cached !== undefined && meta.access === 'key',
);

const log = captureLog();
const app = await startApp({ logger: log.logger });
afterAll(() => app[Symbol.asyncDispose]());

const siteId = await app.seed.ownSite();
await fillWithExample(app.deps, siteId);
const key = await app.seed.key({ scopes: scopeNames });

/** How many requests came to their routes. */
let routed = 0;
const countRouted = () => {
  routed += 1;
};
const channel = 'tracing:fastify.request.handler:start';
beforeAll(() => subscribe(channel, countRouted));
afterAll(() => void unsubscribe(channel, countRouted));

const credential = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** What a request is answered, byte for byte but for its moment and its id, and what the log says of it. */
async function ask(path: string, headers: Record<string, string> = credential(key), to: TestApp = app) {
  const { hostname, port, host } = new URL(to.baseUrl);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ Host: host, Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const before = routed;
  socket.write(`${[`GET ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
  socket.setEncoding('latin1');
  const answer = await text(socket);
  return { answer: answer.replace(/^(x-request-id|date): .*$/gim, '$1'), isRouted: routed > before };
}

/** What the log said last. */
function lastLine() {
  const {
    time: _,
    request_id: __,
    ms: ___,
    ...line
  } = JSON.parse(log.text().trim().split('\n').at(-1) ?? '');
  return line;
}

let addresses = 0;

/** An address for the same that nobody asked for before. */
function unknown(path: string): string {
  addresses += 1;
  return `${path}?unheard=${addresses}`;
}

/** The address of the same that is known. */
async function known(path: string, to: TestApp = app, secret = key) {
  const address = unknown(path);
  for (let times = 0; times < 3; times++) await ask(address, credential(secret), to);
  return address;
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
    address = await known(path);
  });

  const sameAs = async (headers: Record<string, string>) => {
    const [usual, usualLine] = [await ask(unknown(path), headers), lastLine()];
    const [fast, fastLine] = [await ask(address, headers), lastLine()];
    expect(fast.answer).toBe(usual.answer);
    expect(fastLine).toEqual(usualLine);
    return { answer: fast.answer, ways: [usual.isRouted, fast.isRouted] };
  };

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
    await ask(unknown(path), headers);
    expect((await sameAs(headers)).ways).toEqual([true, false]);
  });

  test('from memory, to one who has it', async () => {
    const { answer } = await ask(address);
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
  const address = await known('/api/v1/skills', app, secret);
  expect((await ask(address, credential(secret))).isRouted).toBe(false);
  const [{ id } = { id: '' }] = await app.deps.database.em.execute<{ id: string }[]>(
    'update api_keys set active = false where key_hash = ? returning id',
    [hashSecret(secret)],
  );
  expect(id).not.toBe('');
  expect((await ask(address, credential(secret))).answer).toMatch(/^HTTP\/1.1 403 .*key_disabled/s);
});

test('what is written is in the next answer', async () => {
  const address = await known('/api/v1/skills');
  await app.post('/api/v1/skills', { key, body: { name: 'Quite new' } });
  expect((await ask(address)).answer).toContain('Quite new');
});

test('each request counts, the one that is refused like any other', async () => {
  await using limited = await startApp({ limits: { normal: { perMinute: 60, burst: 6 } } });
  const secret = await limited.seed.key();
  const address = await known('/api/v1/skills', limited, secret);
  const next = () => ask(address, credential(secret), limited);
  const answers = [await next(), await next(), await next(), await next()];
  const seen = answers.map(({ answer }) => /^HTTP\/1.1 (\d+).*^x-ratelimit-remaining: (\d+)/ms.exec(answer));
  expect(seen.map((match) => match?.slice(1))).toEqual([
    ['200', '2'],
    ['200', '1'],
    ['200', '0'],
    ['429', '0'],
  ]);
  const { answer } = await ask(unknown('/api/v1/skills'), credential(secret), limited);
  expect(answers[3]?.answer).toBe(answer);
  limited.clock.advance({ seconds: 1 });
  expect((await next()).isRouted).toBe(false);
});

test('over https it says so, and plain http is refused', async () => {
  const config = { publicUrl: new URL('https://site.example'), trustProxy: ['127.0.0.0/8'] };
  await using behind = await startApp({ config });
  const secret = await behind.seed.key();
  const over = (protocol: string) => ({ ...credential(secret), 'X-Forwarded-Proto': protocol });
  const address = unknown('/api/v1/skills');
  const answers = [];
  for (let times = 0; times < 3; times++) answers.push(await ask(address, over('https'), behind));
  expect(answers.map(({ isRouted }) => isRouted)).toEqual([true, true, false]);
  expect(answers[2]?.answer).toBe(answers[1]?.answer);
  expect(answers[2]?.answer).toContain('strict-transport-security: max-age=');
  expect((await ask(address, over('http'), behind)).answer).toContain('HTTPS is required');
});
