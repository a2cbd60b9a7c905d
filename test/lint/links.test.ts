import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const linked = [...architecture.matchAll(/\[`(\w+)`\]\(([^)]+)\)/g)];

test('every function that ARCHITECTURE links to is exported by that file', () => {
  expect(linked.length).toBeGreaterThan(20);
  const missing = linked.filter(([, name, file = '']) => {
    const code = readFileSync(path.join(root, file), 'utf8');
    return !new RegExp(`^export (async )?(function\\*?|const) ${name}\\b`, 'm').test(code);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

test('every function that the table of ARCHITECTURE names is declared in its file', () => {
  const named = [...architecture.matchAll(/`([\w./-]+\.tsx?)#(\w+)`/g)];
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter(([, file = '', name]) => {
    const declared = `(function\\*?|const|class|interface|type) ${name}\\b`;
    return !new RegExp(declared).test(readFileSync(path.join(root, file), 'utf8'));
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});
