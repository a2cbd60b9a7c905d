import { expect, test } from 'vitest';
import { covers, scopeNames } from './scopes.ts';

const content = [
  'posts',
  'projects',
  'courses',
  'talks',
  'experience',
  'education',
  'skills',
  'certifications',
];

test('a scope covers itself, and only `webhooks` and the wildcards of assistants cover other scopes', () => {
  const covered = scopeNames.flatMap((held) =>
    scopeNames.filter((needed) => covers([held], needed)).map((needed) => `${held} covers ${needed}`),
  );
  const expected = [
    ...scopeNames.map((name) => `${name} covers ${name}`),
    'webhooks covers write:webhooks',
    ...[...content, 'profile'].map((name) => `mcp:read covers mcp:${name}:read`),
    ...[...content, 'profile'].map((name) => `mcp:write covers mcp:${name}:write`),
  ];
  expect(covered.toSorted()).toEqual(expected.toSorted());
});

test('an empty list of scopes covers nothing, and neither do unknown scopes', () => {
  for (const needed of scopeNames) {
    expect(covers([], needed)).toBe(false);
    expect(covers(['admin', '*', 'READ', ''], needed)).toBe(false);
  }
});
