import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookRefusal,
} from '../../client/sdk/index.ts';
import { deliveryHeaders } from '../../shared/webhooks/sign.ts';

const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const data = { id: 'mb3k9x2a7f0q1zd', collection: 'posts', title: 'Ünïcode 🎉', slug: 'unicode' };
const text = JSON.stringify({ event: 'content.created', timestamp: '2026-01-31T09:05:00.123Z', data });
const body = Buffer.from(text);
const event = { event: 'content.created', timestamp: new Date('2026-01-31T09:05:00.123Z'), data };

/** The headers of a delivery sent `secondsAgo`, as the service makes them. */
function sent(secondsAgo = 0, signed: Buffer = body) {
  const sentAt = new Date(Date.now() - secondsAgo * 1000);
  return deliveryHeaders({
    event: 'content.created',
    deliveryId: 'm1a2b3c4d5e6f7g',
    secret,
    body: signed,
    sentAt,
  });
}

const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const withoutTimestamp = { 'x-service-signature': signature };

/** Why the delivery is refused; fails when it is not. */
async function refusal(...given: Parameters<typeof verifyWebhook>): Promise<WebhookRefusal> {
  const error = await verifyWebhook(...given).catch((cause: unknown) => cause);
  if (error instanceof WebhookError) return error.refusal;
  throw error;
}

describe('a delivery with the right signature gives its event', () => {
  test.for<[string, Parameters<typeof verifyWebhook>[0]]>([
    ['text', text],
    ['bytes', new Uint8Array(body)],
    ['an ArrayBuffer', new Uint8Array(body).buffer],
    [
      'a slice of a larger buffer',
      Buffer.concat([Buffer.from('..'), body, Buffer.from('..')]).subarray(2, -2),
    ],
  ])('with the body as %s', async ([, rawBody]) => {
    expect(await verifyWebhook(rawBody, sent(), secret)).toEqual(event);
  });

  test.for<[string, WebhookHeaders]>([
    ['Headers', new Headers(sent())],
    ['a record in any case', { 'X-SERVICE-signature': signature }],
    ['lists of one', { 'x-service-signature': [signature] }],
    ['the signature of the contract alone', withoutTimestamp],
  ])('with the headers as %s', async ([, headers]) => {
    expect(await verifyWebhook(body, headers, secret)).toEqual(event);
  });
});

test.for<[string, WebhookRefusal, WebhookHeaders]>([
  ['no signature', 'missing_signature', {}],
  ['an empty one', 'malformed_signature', { 'x-service-signature': '' }],
  [
    'another algorithm',
    'malformed_signature',
    { 'x-service-signature': signature.replace('sha256', 'sha1') },
  ],
  ['one that is too short', 'malformed_signature', { 'x-service-signature': signature.slice(0, -2) }],
  ['one that is too long', 'malformed_signature', { 'x-service-signature': `${signature}00` }],
  [
    'upper-case digits',
    'malformed_signature',
    { 'x-service-signature': `sha256=${signature.slice(7).toUpperCase()}` },
  ],
  ['digits that are none', 'malformed_signature', { 'x-service-signature': `sha256=${'g'.repeat(64)}` }],
  ['two of them', 'malformed_signature', { 'x-service-signature': [signature, signature] }],
  ['a wrong one', 'signature_mismatch', { 'x-service-signature': `sha256=${'0'.repeat(64)}` }],
])('a delivery with %s is refused with %s', async ([, expected, headers]) => {
  expect(await refusal(body, headers, secret)).toBe(expected);
});

test('a changed body, even by a blank, or another secret is refused with signature_mismatch', async () => {
  expect(await refusal(`${text} `, sent(), secret)).toBe('signature_mismatch');
  expect(await refusal(text.replace('posts', 'pages'), sent(), secret)).toBe('signature_mismatch');
  expect(await refusal(body, sent(), `${secret}x`)).toBe('signature_mismatch');
});

test('a signed timestamp must be within five minutes of now, or as far as is asked for', async () => {
  expect(await verifyWebhook(body, sent(290), secret)).toEqual(event);
  expect(await verifyWebhook(body, sent(-290), secret)).toEqual(event);
  expect(await refusal(body, sent(310), secret)).toBe('timestamp_out_of_tolerance');
  expect(await refusal(body, sent(-310), secret)).toBe('timestamp_out_of_tolerance');
  expect(await refusal(body, sent(60), secret, { toleranceSeconds: 30 })).toBe('timestamp_out_of_tolerance');
  expect(await verifyWebhook(body, sent(3000), secret, { toleranceSeconds: 3600 })).toEqual(event);
});

test('a timestamp or id that was changed no longer fits its signature', async () => {
  const old = sent(3000);
  const now = String(Math.floor(Date.now() / 1000));
  expect(await refusal(body, { ...old, 'webhook-timestamp': now }, secret)).toBe('signature_mismatch');
  expect(await refusal(body, { ...sent(), 'webhook-id': 'another' }, secret)).toBe('signature_mismatch');
  expect(await refusal(body, { ...sent(), 'webhook-signature': 'v1,%' }, secret)).toBe('signature_mismatch');
  expect(await refusal(body, { ...sent(), 'webhook-signature': '' }, secret)).toBe('signature_mismatch');
});

test('of several signatures one has to fit', async () => {
  const headers = sent();
  const several = `v1a,AAAA v1,${btoa('other')} ${headers['webhook-signature']}`;
  expect(await verifyWebhook(body, { ...headers, 'webhook-signature': several }, secret)).toEqual(event);
});

test('whoever asks for a timestamp gets no delivery without one, and half of its headers are never taken', async () => {
  expect(await verifyWebhook(body, sent(), secret, { requireTimestamp: true })).toEqual(event);
  expect(await refusal(body, withoutTimestamp, secret, { requireTimestamp: true })).toBe('missing_timestamp');
  const { 'webhook-signature': _, ...half } = sent();
  expect(await refusal(body, half, secret)).toBe('missing_timestamp');
});

test.for([
  ['text', 'hello'],
  ['null', 'null'],
  ['a list', '[]'],
  ['no event', '{"timestamp":"2026-01-31T09:05:00Z","data":{}}'],
  ['a moment that is none', '{"event":"a","timestamp":"soon","data":{}}'],
  ['data that is no object', '{"event":"a","timestamp":"2026-01-31T09:05:00Z","data":1}'],
])('a signed body that is %s is refused with malformed_body', async ([, given = '']) => {
  expect(await refusal(given, sent(0, Buffer.from(given)), secret)).toBe('malformed_body');
});

test('a body that was parsed already, or a secret that is not set, is a mistake in the code', async () => {
  await expect(verifyWebhook(JSON.parse(text), sent(), secret)).rejects.toThrow(TypeError);
  await expect(verifyWebhook(body, sent(), '')).rejects.toThrow(TypeError);
});
