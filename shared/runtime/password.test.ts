import { expect, test } from 'vitest';
import { hashPassword, passwordMatches } from './password.ts';

test('a password matches what was stored of it, and nothing else does', async () => {
  const stored = await hashPassword('correct horse battery');
  expect(await passwordMatches('correct horse battery', stored)).toBe(true);
  for (const wrong of ['', 'correct horse batter', 'correct horse battery ', 'Correct horse battery']) {
    expect(await passwordMatches(wrong, stored)).toBe(false);
  }
});

test('the same password is stored differently each time, and never as it is', async () => {
  const [one, two] = await Promise.all([
    hashPassword('correct horse battery'),
    hashPassword('correct horse battery'),
  ]);
  expect(one).toMatch(/^argon2id\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(two);
});

test('where nothing is stored no password matches', async () => {
  expect(await passwordMatches('', undefined)).toBe(false);
  expect(await passwordMatches('correct horse battery', undefined)).toBe(false);
});
