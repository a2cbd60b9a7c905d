import { expect, test } from 'vitest';
import { expectLinear } from '../../test/support/expect-linear.ts';
import { globOf } from './glob.ts';

test.for([
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'a/b/c.md', true],
  ['**/*.md', 'a/b.txt', false],
  ['*.md', 'a/b.md', false],
  ['./notes/*.md', 'notes/b.md', true],
  ['**/[^_]*.{md,mdx}', 'a/b.mdx', true],
  ['**/[^_]*.{md,mdx}', 'a/_b.mdx', false],
  ['**/[^_]*.{md,mdx}', '_b.md', false],
  ['{a,b}/{c,d}.md', 'b/c.md', true],
  ['{a,b}/{c,d}.md', 'b/e.md', false],
  ['a/**', 'a/b/c.md', true],
  ['a/**', 'b/c.md', false],
  ['a**b.md', 'a/b.md', true],
  ['/posts/**.md', 'posts/a/b.md', true],
  ['?.md', 'a.md', true],
  ['?.md', 'ab.md', false],
  ['a+(b).md', 'ab.md', false],
  ['{a,{b,c}}.md', 'c.md', true],
  ['{a,b.md', 'a.md', false],
  ['[a-c].md', 'b.md', false],
] as const)('%s matches %s: %s', ([pattern, path, isMatch]) => {
  expect(globOf(pattern)(path)).toBe(isMatch);
});

test.for([
  ['**/', 160],
  ['*a', 200],
  ['{a,b}', 100],
  ['**/*', 120],
] as const)('matching takes linear time, however often a pattern repeats %s', async ([part, times]) => {
  const matches = globOf(part.repeat(times));
  await expectLinear({
    make: (size) => 'a/'.repeat(size / 2),
    read: matches,
    bound: 16_000,
    maxMs: 2_000,
  });
});
