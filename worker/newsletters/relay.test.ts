import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { type RelayScript, startMisbehavingRelay } from '../../test/support/misbehaving-relay.ts';
import { createRelay } from './relay.ts';

const message = Buffer.from('Subject: Hello\r\n\r\nBody\r\n.and a dot\r\n');
const envelope = { from: 'news@example.com', to: 'grace@example.com', siteId: 'mb3k9x2a7f0q1zd' };
const said = (kind: string, reply_code: number | null = null, reply_status: string | null = null) => ({
  kind,
  reply_code,
  reply_status,
});

const timeoutMs = 60_000;

afterEach(() => void vi.useRealTimers());

/**
 * Sends an email, and returns the outcome and the number of emails that the server accepted. The timeout fires when the
 * server falls silent.
 */
async function outcomeOf(script: RelayScript) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await using server = await startMisbehavingRelay(() => script);
  const relay = createRelay({ url: server.url, timeoutMs, name: 'example.com' });
  void server.silent.then(() => vi.advanceTimersByTime(timeoutMs));
  const outcome = await relay.send(envelope, [message]);
  relay.close();
  return [outcome, server.taken.length];
}

test.for<[string, RelayScript, ReturnType<typeof said>, number]>([
  ['accepts the email', {}, said('accepted', 250, '2.0.0'), 1],
  ['refuses the recipient', { rcpt: '550 5.1.1 nobody' }, said('refused', 550, '5.1.1'), 0],
  ['refuses the sender', { mail: '550 5.7.1 not you' }, said('refused', 550, '5.7.1'), 0],
  ['postpones the recipient', { rcpt: '450 4.2.0 later' }, said('retrying', 450, '4.2.0'), 0],
  ['ends the session at the recipient', { rcpt: '421 4.3.2 closing' }, said('retrying', 421, '4.3.2'), 0],
  ['refuses the content', { data: '554 5.5.1 no' }, said('refused', 554, '5.5.1'), 0],
  ['disconnects before it requests the content', { data: 'drop' }, said('retrying'), 0],
  ['disconnects at the recipient', { rcpt: 'drop' }, said('retrying'), 0],
  ['disconnects during the content', { body: 'drop' }, said('unknown'), 0],
  ['disconnects after the final dot', { dot: 'drop' }, said('unknown'), 1],
  ['postpones the email', { dot: '451 4.3.0 later' }, said('retrying', 451, '4.3.0'), 0],
  ['refuses the email', { dot: '554 5.7.1 spam' }, said('refused', 554, '5.7.1'), 0],
  ['ends the session after the dot', { dot: '421 4.3.0 closing' }, said('retrying', 421, '4.3.0'), 0],
  ['refuses the session', { greeting: '421 4.3.2 too busy' }, said('away', 421, '4.3.2'), 0],
  ['hangs up', { greeting: 'drop' }, said('away'), 0],
])('an email to a mail server that %s has the expected outcome', async ([, script, outcome, taken]) => {
  expect(await outcomeOf(script)).toEqual([outcome, taken]);
});

test('a server that falls silent leaves the outcome unknown only after it requested the content', async () => {
  const scripts: RelayScript[] = [
    { greeting: 'silence' },
    { rcpt: 'silence' },
    { data: 'silence' },
    { dot: 'silence' },
  ];
  const outcomes = [];
  for (const script of scripts) outcomes.push(await outcomeOf(script));
  expect(outcomes).toEqual([
    [said('away'), 0],
    [said('retrying'), 0],
    [said('retrying'), 0],
    [said('unknown'), 1],
  ]);
});

test('a sender that stalls after DATA until its timeout has passed sends no content when it resumes', async () => {
  const heard: string[] = [];
  const requested = Promise.withResolvers<Socket>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.write('220 ready\r\n');
    socket.on('close', () => closed.resolve());
    createInterface({ input: socket }).on('line', (line) => {
      heard.push(line);
      if (line === 'DATA') requested.resolve(socket);
      else socket.write('250 ok\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = `import { createRelay } from './worker/newsletters/relay.ts';
    const relay = createRelay({ url: '${url}', timeoutMs: 8_000, name: 'example.com' });
    const { kind } = await relay.send({ from: 'a@example.com', to: 'b@example.com', siteId: '' }, [Buffer.from('Subject: Hello')]);
    console.log(kind);
    relay.close();`;
  const sender = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const socket = await requested.promise;
  sender.kill('SIGSTOP');
  socket.write('354 go on\r\n');
  await delay(8_200);
  sender.kill('SIGCONT');
  expect((await text(sender.stdout)).trim()).toBe('retrying');
  await closed.promise;
  server.close();
  expect(heard.at(-1)).toBe('DATA');
});

test('an unreachable server is reported as such, not as an outcome of the email', async () => {
  const relay = createRelay({ url: 'smtp://127.0.0.1:1', timeoutMs, name: 'example.com' });
  expect(await relay.send(envelope, [message])).toEqual(said('away'));
});

test('one connection sends many emails byte for byte; if the server closes it in between, the next email opens another', async () => {
  let leaves = false;
  await using server = await startMisbehavingRelay(() => ({ leaves }));
  const relay = createRelay({ url: server.url, timeoutMs, name: 'example.com' });
  for (let n = 0; n < 20; n++) {
    leaves = n === 10;
    expect(await relay.send(envelope, [message])).toEqual(said('accepted', 250, '2.0.0'));
  }
  relay.close();
  const { from, to } = envelope;
  const raw = 'Subject: Hello\n\nBody\n.and a dot';
  expect(server.taken).toEqual(Array.from({ length: 20 }, () => ({ from, to, raw })));
  expect(server.max.connections).toBe(1);
});
