import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook } from '../../client/sdk/index.ts';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { fireAllEvents } from '../support/all-events.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { findFreePort, runNode, startNode } from '../support/process.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { startReceiver } from '../support/tls-receiver.ts';

// The `listen` command, which forwards events to a program on a developer's machine.

const command = 'client/sdk/bin/main.ts';

const startListening = (args: string[], environment: Record<string, string> = {}) =>
  startNode([command, 'listen', ...args], environment);

const write = (app: TestApp, key: string, title: string) =>
  app.post('/api/v1/posts', { key, body: { title } });

test('the listen command forwards each event with the bytes, headers and signatures of its webhook delivery', async () => {
  await using app = await startApp();
  await using receiver = await startReceiver({ certificate: null });
  const API_KEY = await app.seed.key();
  await using listening = startListening(['--url', app.baseUrl, '--forward', receiver.url], { API_KEY });
  const [, secret = ''] = await listening.says(/Signing secret: (whsec_\S+)\n/);
  await listening.says(/Ctrl-C ends this/);
  await fireAllEvents(app);
  await eventually(() => receiver.requests.length === 9);
  const stored = await app.deps.database.em
    .fork()
    .execute<{ id: string; name: string; body: string }[]>(
      'select id, name, body from events order by occurred_at, id',
    );
  expect(receiver.requests.map(({ body }) => String(body))).toEqual(stored.map(({ body }) => body));
  for (const [n, { method, path, headers, body }] of receiver.requests.entries()) {
    expect([method, path]).toEqual(['POST', '/hook']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      'x-service-event': stored[n]?.name,
      'x-service-delivery': stored[n]?.id,
      'webhook-id': stored[n]?.id,
    });
    expect(await verifyWebhook(body, headers, secret, { requireTimestamp: true })).toMatchObject({
      event: stored[n]?.name,
    });
    new Webhook(secret).verify(String(body), headers as Record<string, string>);
  }
});

test('the listen command prints one line per response: the event, the status and the duration', async () => {
  await using app = await startApp();
  let status = 200;
  await using receiver = await startReceiver({
    certificate: null,
    answer: (_, response) => response.writeHead(status++, { location: '/elsewhere' }).end('an answer'),
  });
  const key = await app.seed.key();
  await using listening = startListening(['--url', app.baseUrl, '--key', key, '--forward', receiver.url]);
  await listening.says(/Ctrl-C ends this/);
  for (const title of ['1', '2']) await write(app, key, title);
  await listening.says(
    /\d\d:\d\d:\d\d {2}content\.created {8}200 +\d+ ms\n\S+ {2}content\.created {8}201 +\d+ ms\n/,
  );
});

test('the listen command forwards only the requested events, signed with the given secret', async () => {
  await using app = await startApp();
  await using receiver = await startReceiver({ certificate: null });
  const key = await app.seed.key();
  const WEBHOOK_SECRET = 'a secret of sixteen characters or more';
  await using listening = startListening(
    ['--url', app.baseUrl, '--key', key, '--forward', receiver.url, '--events', 'course.*,member.*'],
    { WEBHOOK_SECRET },
  );
  await listening.says(/Ctrl-C ends this/);
  await fireAllEvents(app);
  await eventually(() => receiver.requests.length === 3);
  const received = receiver.requests.map(({ body, headers }) => verifyWebhook(body, headers, WEBHOOK_SECRET));
  expect((await Promise.all(received)).map(({ event }) => event)).toEqual([
    'course.enrolled',
    'course.completed',
    'newsletter.subscribe',
  ]);
});

test('if no program accepts the events, the listen command keeps running and prints how to fix that', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const port = await findFreePort();
  const args = ['--url', app.baseUrl, '--key', key, '--forward', `http://127.0.0.1:${port}/hook`];
  await using listening = startListening(args);
  await listening.says(/Ctrl-C ends this/);
  await write(app, key, 'A');
  await listening.says(new RegExp(`--- .* nothing listens at http://127.0.0.1:${port}: start your program`));
});

test('the listen command reports and reopens a lost connection, and no event is missed or forwarded twice', async () => {
  await using app = await startApp();
  await using receiver = await startReceiver({ certificate: null });
  await using proxy = await startProxy({ port: Number(new URL(app.baseUrl).port) });
  const key = await app.seed.key();
  const url = `http://127.0.0.1:${proxy.port}`;
  await using listening = startListening(['--url', url, '--key', key, '--forward', receiver.url]);
  await listening.says(/Ctrl-C ends this/);
  await write(app, key, '1');
  await eventually(() => receiver.requests.length === 1);
  proxy.refuse();
  await write(app, key, '2');
  await listening.says(/The connection is lost: trying again …\n/);
  proxy.accept();
  await listening.says(/Connected again; nothing was missed\.\n/);
  await write(app, key, '3');
  await eventually(() => receiver.requests.length === 3);
  const titles = receiver.requests.map(({ body }) => JSON.parse(String(body)).data.title);
  expect(titles).toEqual(['1', '2', '3']);
});

test('Ctrl-C ends the listen command with 0, and the option that it prints resumes after the last event', async () => {
  await using app = await startApp();
  await using receiver = await startReceiver({ certificate: null });
  const key = await app.seed.key();
  const args = ['--url', app.baseUrl, '--key', key, '--forward', receiver.url];
  await using first = startListening(args);
  await first.says(/Ctrl-C ends this/);
  await write(app, key, '1');
  await first.says(/content\.created/);
  first.signal('SIGINT');
  const { exitCode, output } = await first.ended();
  expect(exitCode).toBe(0);
  const after = /Stopped\. To resume from here: --after (\S+)\n$/.exec(output)?.[1] ?? '';
  await write(app, key, '2');
  await using second = startListening([...args, '--after', after]);
  await second.says(/content\.created/);
  const titles = receiver.requests.map(({ body }) => JSON.parse(String(body)).data.title);
  expect(titles).toEqual(['1', '2']);
});

test('the listen command prints its usage, and for each mistake how to correct it', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const writer = await app.seed.key({ scopes: ['write'] });
  const said = async (...args: string[]) => {
    const { exitCode, output } = await runNode([command, ...args]);
    return `${exitCode}: ${output}`;
  };
  const to = ['--forward', 'http://localhost:8080/hook'];
  const at = ['listen', ...to, '--url', app.baseUrl];
  expect(await said('--help')).toMatch(/^0: Forwards the events .*\nExamples\n/s);
  expect(await said()).toMatch(/^0: Forwards/);
  expect(await said('listen', ...to)).toMatch(
    /^1: An API key is needed\. Create one with scope read .*--key/,
  );
  expect(await said('listen', '--key', key)).toMatch(
    /^1: --forward is missing: .* http:\/\/localhost:8080\/hook/,
  );
  expect(await said('listen', '--key', key, '--forward', 'localhost')).toMatch(
    /^1: --forward is not an http or https URL/,
  );
  expect(await said('follow', '--key', key)).toMatch(/^1: There is no command "follow"/);
  expect(await said(...at, '--key', 'svc_live_x')).toMatch(/doesn't know this key/);
  expect(await said(...at, '--key', writer)).toMatch(/required read; .*Give the key scope read/);
  expect(await said(...at, '--key', key, '--events', 'content.read')).toMatch(/events\.0: /);
  expect(await said(...at, '--key', key, '--after', 'x')).toMatch(
    /after: must be the id of a followed event/,
  );
  expect(await said(...at, '--key', key, '--fnord')).toMatch(/^1: Unknown option '--fnord'/);
  const { exitCode, output } = await runNode([command, ...at, '--key', 'svc_live_x']);
  expect([exitCode, output]).toEqual([1, expect.not.stringMatching(/ at .*\.ts:\d+/)]);
});

test('if its API key expires, the listen command ends with 1 and prints the reason', async () => {
  await using app = await startApp();
  const server = buildApp(createDeps({ ...app.deps, following: { ...app.deps.following, checkMs: 20 } }));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const key = await app.seed.key({ expiry: app.clock.inMinutes(60) });
  await using listening = startListening([
    '--url',
    url,
    '--key',
    key,
    '--forward',
    'http://localhost:8080/hook',
  ]);
  await listening.says(/Ctrl-C ends this/);
  app.clock.advance({ hours: 2 });
  expect(await listening.ended()).toEqual({
    exitCode: 1,
    output: expect.stringContaining('returned an error: API key has expired'),
  });
});
