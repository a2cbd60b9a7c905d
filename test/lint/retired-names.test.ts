import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** Term to use, and a pattern of the names that it replaced: identifiers, and ends of file paths. */
const rows = readFileSync(path.join(import.meta.dirname, 'retired-names.tsv'), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => {
    const [term = '', names = ''] = line.split('\t');
    return { term, regex: new RegExp(`(?<![\\w$-])(?:${names})(?![\\w$])`, 'g') };
  });

/** Lists each retired name in a text, with the term to use instead. */
const findRetired = (text: string) =>
  rows.flatMap(({ term, regex }) => [...text.matchAll(regex)].map(([name]) => `${name}: use ${term}`));

test('code, docs and file names use the terms that replaced retired names', () => {
  const files = globSync(['{server,shared,worker,client,test}/**/*.{ts,tsx}', '{.,docs}/*.md'], {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist|migrations)$/.test(name),
  });
  expect(files.length).toBeGreaterThan(1_000);
  const own = path.relative(root, import.meta.filename);
  const used = files
    .filter((file) => file !== own)
    .flatMap((file) =>
      findRetired(`${file}\n${readFileSync(path.join(root, file), 'utf8')}`).map((found) => [file, found]),
    );
  expect(used).toEqual([]);
});

test('a retired name is found as an identifier and as a file, and within no other word', () => {
  expect(findRetired("import { createOffload } from '../threads/offload.ts';")).toEqual([
    'createOffload: use thread pool',
    'threads/offload.ts: use thread pool',
  ]);
  expect(findRetired('recreateOffload createOffloads offload.ts')).toEqual([]);
});
