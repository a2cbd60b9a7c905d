import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { deliveryHeaders } from './sign.ts';

const sentAt = new Date();
const body = Buffer.from('{"event":"content.created","data":{"title":"Ünïcode 🎉"}}');

function delivery(secret: string) {
  return { event: 'content.created', deliveryId: 'm1a2b3c4d5e6f7g', secret, body, sentAt };
}

test('a delivery carries the spec headers and the Standard Webhooks headers, and no others', () => {
  expect(deliveryHeaders(delivery('whsec_secret'))).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhook/1.0',
    'X-Service-Event': 'content.created',
    'X-Service-Delivery': 'm1a2b3c4d5e6f7g',
    'X-Service-Signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    'webhook-id': 'm1a2b3c4d5e6f7g',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
});

test('X-Service-Signature is the HMAC-SHA256 of the raw body keyed with the secret', () => {
  const expected = createHmac('sha256', Buffer.from('a secret', 'utf8')).update(body).digest('hex');
  expect(deliveryHeaders(delivery('a secret'))['X-Service-Signature']).toBe(`sha256=${expected}`);
});

test('X-Service-Signature matches test case 2 of RFC 4231', () => {
  const headers = deliveryHeaders({
    ...delivery('Jefe'),
    body: Buffer.from('what do ya want for nothing?'),
  });
  expect(headers['X-Service-Signature']).toBe(
    'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('the standardwebhooks library verifies the extra headers with the secret as it is', () => {
  const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
  const webhook = new Webhook(secret, { format: 'raw' });
  expect(webhook.verify(body, deliveryHeaders(delivery(secret)))).toEqual(JSON.parse(body.toString()));
});

test('the standardwebhooks library verifies a secret beyond ASCII by its UTF-8 bytes', () => {
  const secret = 'пароль-для-вебхуков';
  const webhook = new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
  expect(() => webhook.verify(body, deliveryHeaders(delivery(secret)))).not.toThrow();
});

test('the standardwebhooks library refuses another body, secret or id', () => {
  const headers = deliveryHeaders(delivery('whsec_secret'));
  const webhook = new Webhook('whsec_secret', { format: 'raw' });
  expect(() => webhook.verify(Buffer.concat([body, Buffer.from(' ')]), headers)).toThrow();
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow();
  expect(() => new Webhook('whsec_other', { format: 'raw' }).verify(body, headers)).toThrow();
});
