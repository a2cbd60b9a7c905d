import { expect, test } from 'vitest';
import { startForbiddenServer } from '../../test/support/forbidden-server.ts';
import { startReceiver } from '../../test/support/tls-receiver.ts';
import { parseCidr } from './addresses.ts';
import { createWebhookSender } from './send.ts';
import { type TargetRule, webhookTargetFault } from './target.ts';

// Names whose addresses change between lookups, and names with several addresses.

test('a name that became private after registration is refused at delivery', async () => {
  await using trap = await startForbiddenServer();
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  const rebound: TargetRule = { lookup: async () => answers.shift() ?? [], allowCidrs: [] };
  const url = `https://rebound.test:${trap.port}/`;
  const sender = createWebhookSender({ ...rebound, timeoutMs: 60_000 });

  expect(await webhookTargetFault(url, rebound)).toBeNull();
  const result = await sender.send({ url, headers: {}, body: Buffer.from('{}') });

  expect(result).toMatchObject({ ok: false, error: 'forbidden_address' });
  expect(trap.connections).toBe(0);
  await sender.close();
});

test('a name whose address changes between check and connection is reached at the checked address', async () => {
  await using receiver = await startReceiver();
  const answers = [['127.0.0.1'], ['::1'], ['10.0.0.1']];
  let lookups = 0;
  const lookup = async () => answers[lookups++] ?? [];
  // 127.0.0.1 represents the public address. Any other address would be refused or be unreachable.
  const allowCidrs = [parseCidr('127.0.0.1/32')];
  const sender = createWebhookSender({ lookup, allowCidrs, timeoutMs: 60_000, ca: receiver.ca });

  const result = await sender.send({
    url: `https://changing.localtest:${receiver.port}/`,
    headers: {},
    body: Buffer.from('{}'),
  });

  // The certificate is for another name, so the attempt fails after one connection and one lookup.
  expect(result).toMatchObject({ ok: false, error: 'tls_error' });
  expect(receiver.connections).toBe(1);
  expect(lookups).toBe(1);
  await sender.close();
});

test('one forbidden address refuses a name although its other addresses are allowed', async () => {
  await using receiver = await startReceiver();
  const sender = createWebhookSender({
    lookup: async () => ['127.0.0.1', '10.0.0.1'],
    allowCidrs: [parseCidr('127.0.0.1/32')],
    timeoutMs: 60_000,
    ca: receiver.ca,
  });
  const url = `https://mixed.test:${receiver.port}/`;
  const result = await sender.send({ url, headers: {}, body: Buffer.from('{}') });
  expect(result).toMatchObject({ ok: false, error: 'forbidden_address' });
  expect(receiver.connections).toBe(0);
  await sender.close();
});
