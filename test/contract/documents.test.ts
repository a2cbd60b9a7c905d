import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Documents that send a reader to a file that was moved are worse than none.

const documents = globSync(['*.md', 'docs/*.md']);

/** Names that are written from a folder which the text names before. */
const folders = ['', 'server/', 'server/surfaces/', 'server/kernel/', 'shared/contract/', 'shared/db/'];

/** `folder/file.ts` and `folder/`, and nothing else that stands in backticks. */
const isPath = (word: string) => /^(?!\/)[\w.-]+(\/[\w.-]+)*(\.(ts|md|json|yaml)|\/)$/.test(word);

/** What a start makes, and git ignores. */
const made = ['.data/'];

test.for(documents)('every path that %s names exists', (document) => {
  const words = [...readFileSync(document, 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
  const named = words.filter((word) => isPath(word) && !made.includes(word));
  const missing = named.filter((path) => !folders.some((folder) => existsSync(`${folder}${path}`)));
  expect(missing).toEqual([]);
});

test('every link to a section of the contract leads to one', () => {
  const sections = readFileSync('docs/contract.md', 'utf8').matchAll(/^#{2,3} (.+)$/gm);
  const anchors = new Set([...sections].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-')));
  const sources = globSync(['{server,shared,worker,test}/**/*.ts', 'client/sdk/*.ts', '*.md']);
  const links = sources.flatMap((source) =>
    [...readFileSync(source, 'utf8').matchAll(/docs\/contract\.md#([\w-]+)/g)].map(
      ([, anchor = '']) => anchor,
    ),
  );
  expect(links).not.toEqual([]);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});
