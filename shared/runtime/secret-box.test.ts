import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox, SealedSecretError } from './secret-box.ts';

const box = createSecretBox('the installation key', randomBytes);
const owner = 'site00000000001/sub000000000001';

test.for(['whsec_secret', '', 'пароль 🔑', 'x'.repeat(256)])('a sealed secret opens again: %j', (secret) => {
  expect(box.open(box.seal(secret, owner), owner)).toBe(secret);
});

test('a sealed text has a version, reveals nothing of the secret and never repeats', () => {
  const texts = [box.seal('whsec_secret', owner), box.seal('whsec_secret', owner)];
  expect(texts[0]).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
  expect(texts[0]).not.toBe(texts[1]);
  expect(Buffer.from(String(texts[0]).slice(3), 'base64url').includes('whsec_secret')).toBe(false);
});

test('a text sealed by another process with the same key opens', () => {
  const other = createSecretBox('the installation key', randomBytes);
  expect(other.open(box.seal('whsec_secret', owner), owner)).toBe('whsec_secret');
});

test('a sealed secret does not open for another subscription', () => {
  const sealed = box.seal('whsec_secret', owner);
  expect(() => box.open(sealed, 'site00000000001/sub000000000002')).toThrow(SealedSecretError);
});

test('a sealed secret does not open with another key', () => {
  const other = createSecretBox('another key', randomBytes);
  expect(() => other.open(box.seal('whsec_secret', owner), owner)).toThrow(SealedSecretError);
});

test('a text altered in any one bit does not open', () => {
  const sealed = Buffer.from(box.seal('whsec_secret', owner).slice(3), 'base64url');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const altered = Buffer.from(sealed);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => box.open(`v1.${altered.toString('base64url')}`, owner)).toThrow(SealedSecretError);
  }
});

test.for(['', 'v1.', 'v2.AAAA', 'whsec_secret', 'v1.AAAA', `v1.${'A'.repeat(37)}`])(
  'a text that was never sealed does not open: %j',
  (text) => {
    expect(() => box.open(text, owner)).toThrow(SealedSecretError);
  },
);

test('the error names neither the secret nor the key', () => {
  const message = String(new SealedSecretError());
  expect(message).toContain('SECRET_KEY');
  expect(message).not.toContain('whsec_');
});
