import { expect, test } from 'vitest';
import { covers, scopeNames } from './scopes.ts';

test('a scope covers itself, webhooks covers write:webhooks, and nothing else covers another', () => {
  const covered = scopeNames.flatMap((held) =>
    scopeNames.filter((needed) => covers([held], needed)).map((needed) => `${held} covers ${needed}`),
  );
  const themselves = scopeNames.map((name) => `${name} covers ${name}`);
  expect(covered.toSorted()).toEqual([...themselves, 'webhooks covers write:webhooks'].toSorted());
});

test('no scope covers nothing, and one that is unknown covers nothing', () => {
  for (const needed of scopeNames) {
    expect(covers([], needed)).toBe(false);
    expect(covers(['admin', '*', 'READ', ''], needed)).toBe(false);
  }
});
