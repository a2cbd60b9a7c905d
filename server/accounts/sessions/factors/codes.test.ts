import { randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';
import { expect, test } from 'vitest';
import { createSecretBox } from '../../../../shared/runtime/secret-box.ts';
import { newTotp, stepOf } from './codes.ts';

const secrets = createSecretBox('a key for tests', randomBytes);
const personId = 'ada';

/** Vectors of RFC 6238, appendix B, for SHA-1: seconds since 1970, and the last six of eight digits. */
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

const ofRfc = newTotp(
  { secrets, randomBytes: () => Buffer.from('12345678901234567890') },
  { personId, label: 'ada@example.com', issuer: 'example.com' },
);
const at = (seconds: number, code: string) =>
  stepOf({ secrets, now: new Date(seconds * 1_000) }, { personId, sealed: ofRfc.sealed, code });

test.for(vectors)('at %d s the code is %s', ([seconds, code]) => {
  expect(at(seconds, code)).toBe(Math.floor(seconds / 30));
});

test('a code is valid in its own half minute and the ones before and after, and in no other', () => {
  const steps = [0, 29, 30, 59, 89, 90].map((seconds) => at(seconds, '287082'));
  expect(steps).toEqual([1, 1, 1, 1, 1, null]);
  expect(at(119, '081804')).toBe(null);
});

test('a secret has the form that apps take, and cannot be decrypted for another person', () => {
  expect(Secret.fromBase32(ofRfc.secret).utf8).toBe('12345678901234567890');
  expect(ofRfc.uri).toBe(
    `otpauth://totp/example.com:ada%40example.com?issuer=example.com&secret=${ofRfc.secret}&algorithm=SHA1&digits=6&period=30`,
  );
  expect(() =>
    stepOf({ secrets, now: new Date() }, { personId: 'grace', sealed: ofRfc.sealed, code: '287082' }),
  ).toThrow('cannot decrypt a stored secret');
});
