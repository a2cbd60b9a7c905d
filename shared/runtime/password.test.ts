import { expect, test } from 'vitest';
import { hashPassword, passwordMatches } from './password.ts';

test('only the right password matches the stored hash', async () => {
  const stored = await hashPassword('correct horse battery');
  expect(await passwordMatches('correct horse battery', stored)).toBe(true);
  for (const wrong of ['', 'correct horse batter', 'correct horse battery ', 'Correct horse battery']) {
    expect(await passwordMatches(wrong, stored)).toBe(false);
  }
});

test('the same password is stored differently each time, and never in plain text', async () => {
  const [one, two] = await Promise.all([
    hashPassword('correct horse battery'),
    hashPassword('correct horse battery'),
  ]);
  expect(one).toMatch(/^argon2id\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(two);
});

test('without a stored hash no password matches', async () => {
  expect(await passwordMatches('', undefined)).toBe(false);
  expect(await passwordMatches('correct horse battery', undefined)).toBe(false);
});
