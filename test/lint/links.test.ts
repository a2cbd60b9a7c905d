import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const linked = [
  ...readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/\[`(\w+)`\]\(([^)]+)\)/g),
];

test('every function that ARCHITECTURE links to is exported by that file', () => {
  expect(linked.length).toBeGreaterThan(20);
  const missing = linked.filter(([, name, file = '']) => {
    const code = readFileSync(path.join(root, file), 'utf8');
    return !new RegExp(`^export (async )?(function\\*?|const) ${name}\\b`, 'm').test(code);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});
