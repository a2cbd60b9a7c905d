import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { deliveryHeaders, generateWebhookSecret, standardKey } from './sign.ts';

const sentAt = new Date();
const body = Buffer.from('{"event":"content.created","data":{"title":"Ünïcode 🎉"}}');

function delivery(secret: string) {
  return { event: 'content.created', deliveryId: 'm1a2b3c4d5e6f7g', secret, body, sentAt };
}

test('a delivery carries the headers of this service and of Standard Webhooks, and no others', () => {
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

const generated = generateWebhookSecret(randomBytes);

test('the standardwebhooks library verifies a generated secret by its defaults', () => {
  const webhook = new Webhook(generated);
  expect(webhook.verify(body, deliveryHeaders(delivery(generated)))).toEqual(JSON.parse(body.toString()));
});

test('the svix library verifies a generated secret by its defaults', () => {
  const headers = deliveryHeaders(delivery(generated));
  const webhook = new SvixWebhook(generated);
  expect(() => webhook.verify(body.toString(), headers)).not.toThrow();
  expect(() => webhook.verify(`${body} `, headers)).toThrow();
});

test('X-Service-Signature is keyed with the text of a generated secret, not with the bytes in it', () => {
  const expected = createHmac('sha256', generated).update(body).digest('hex');
  expect(deliveryHeaders(delivery(generated))['X-Service-Signature']).toBe(`sha256=${expected}`);
});

test.for(['whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG', 'пароль-для-вебхуков', 'a secret of mine'])(
  'a secret without a base64 key is its own key, as UTF-8: %s',
  (secret) => {
    const webhook = new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
    expect(() => webhook.verify(body, deliveryHeaders(delivery(secret)))).not.toThrow();
  },
);

test('the standardwebhooks library refuses another body, secret or id', () => {
  const headers = deliveryHeaders(delivery(generated));
  const webhook = new Webhook(generated);
  expect(() => webhook.verify(Buffer.concat([body, Buffer.from(' ')]), headers)).toThrow();
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow();
  expect(() => new Webhook(generateWebhookSecret(randomBytes)).verify(body, headers)).toThrow();
});

const base64 = (length: number) => Buffer.alloc(length, 0xfb).toString('base64');

test('a generated secret is whsec_ and the base64 of 32 random bytes', () => {
  const bytes = randomBytes(32);
  const secret = generateWebhookSecret((size) => bytes.subarray(0, size));
  expect(secret).toBe(`whsec_${bytes.toString('base64')}`);
  expect(secret).toHaveLength(50);
});

test.for([24, 25, 32, 63, 64])('after whsec_, the base64 of %i bytes represents those bytes', (length) => {
  expect(standardKey(`whsec_${base64(length)}`)).toEqual(Buffer.alloc(length, 0xfb));
});

test.for([
  ['too few bytes', `whsec_${base64(23)}`],
  ['too many bytes', `whsec_${base64(65)}`],
  ['base64 without its padding', `whsec_${base64(32).replace('=', '')}`],
  ['base64 of the URL alphabet', `whsec_${Buffer.alloc(33, 0xfb).toString('base64url')}`],
  ['base64 whose last bits are not zero', `whsec_${base64(32).replace('s=', 't=')}`],
  ['base64 with a line break', `whsec_${base64(32)}\n`],
  ['a secret of another alphabet', 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'],
  ['nothing behind it', 'whsec_'],
  ['another prefix', `WHSEC_${base64(32)}`],
  ['no prefix', base64(32)],
  ['text beyond ASCII', 'пароль-для-вебхуков-🎉'],
])('a secret with %s is its own key, as UTF-8', ([, secret]) => {
  expect(standardKey(secret ?? '')).toEqual(Buffer.from(secret ?? '', 'utf8'));
});
