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

test('what the thirty questions name is declared where they say', () => {
  const questions = readFileSync(path.join(root, 'docs/questions.md'), 'utf8');
  let file = '';
  const missing = [...questions.matchAll(/`([\w/-]+\.ts)?(?:#(\w+))?`/g)].filter(([, named, name]) => {
    file = named ?? file;
    const declared = `(function\\*?|const|class|interface|type) ${name}\\b`;
    return name !== undefined && !new RegExp(declared).test(readFileSync(path.join(root, file), 'utf8'));
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});
