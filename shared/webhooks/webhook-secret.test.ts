import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateWebhookSecret, standardKey } from './webhook-secret.ts';

const base64 = (length: number) => Buffer.alloc(length, 0xfb).toString('base64');

test('a generated secret is whsec_ and the base64 of 32 random bytes', () => {
  const bytes = randomBytes(32);
  const secret = generateWebhookSecret((size) => bytes.subarray(0, size));
  expect(secret).toBe(`whsec_${bytes.toString('base64')}`);
  expect(secret).toHaveLength(50);
});

test.for([24, 25, 32, 63, 64])('behind whsec_ the base64 of %i bytes stands for those bytes', (length) => {
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
