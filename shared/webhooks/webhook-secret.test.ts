import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateWebhookSecret } from './webhook-secret.ts';

test('a generated secret is whsec_ and 43 base62 characters', () => {
  expect(generateWebhookSecret(randomBytes)).toMatch(/^whsec_[0-9A-Za-z]{43}$/);
});

test('every character is equally likely: bytes from 248 up are drawn again', () => {
  const draws = [new Uint8Array(43).fill(255), Uint8Array.from({ length: 43 }, (_, index) => index)];
  const secret = generateWebhookSecret((size) => draws.shift() ?? new Uint8Array(size));
  expect(secret).toBe('whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG');
});
