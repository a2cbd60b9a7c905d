import { expect, test } from 'vitest';
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
  expect(globOf(pattern).matches(path)).toBe(isMatch);
});

test('no pattern takes longer than it and its path are long', () => {
  const path = 'a/'.repeat(2_000);
  const began = process.cpuUsage();
  for (const pattern of ['**/'.repeat(160), '*a'.repeat(200), '{a,b}'.repeat(100), '**/*'.repeat(120)])
    globOf(pattern).matches(path);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
