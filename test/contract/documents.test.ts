import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// Documents that send a reader to a file that was moved are worse than none.

const documents = globSync(['*.md', 'docs/*.md', '{server,shared}/*/README.md']);

/** Folders that paths may begin in: the root of the project, or the folder of the document. */
const foldersOf = (document: string) => ['', `${dirname(document)}/`];

/** `folder/file.ts` and `folder/`, and nothing else that stands in backticks. */
const isPath = (word: string) => /^(?!\/)[\w.-]+(\/[\w.-]+)*(\.(ts|md|json|yaml)|\/)$/.test(word);

/** What a start makes, and git ignores. */
const made = ['.data/'];

test.for(documents)('every path that %s names exists', (document) => {
  const words = [...readFileSync(document, 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
  const named = words.filter((word) => isPath(word) && !made.includes(word));
  const missing = named.filter(
    (path) => !foldersOf(document).some((folder) => existsSync(`${folder}${path}`)),
  );
  expect(missing).toEqual([]);
});

/** The names of a document's sections in links, as forges make them of its headings. */
const sectionsOf = (document: string) =>
  [...readFileSync(document, 'utf8').matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

test.for([...documents, 'client/sdk/README.md'])(
  'every link of %s points to an existing file and section',
  (document) => {
    const links = [...readFileSync(document, 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)/g)];
    const broken = links.filter(([, path = '', section]) => {
      const target = path === '' ? document : join(dirname(document), path);
      return !existsSync(target) || (section && !sectionsOf(target).includes(section));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  },
);

test('every link of the code to a section of the contract points to an existing one', () => {
  const anchors = new Set(sectionsOf('docs/contract.md'));
  const sources = globSync([
    '{server,shared,worker,test}/**/*.ts',
    'client/{sdk,studio}/**/*.{ts,tsx}',
    '*.md',
  ]).filter((source) => !source.includes('node_modules'));
  const links = sources.flatMap((source) =>
    [...readFileSync(source, 'utf8').matchAll(/docs\/contract\.md#([\w-]+)/g)].map(
      ([, anchor = '']) => anchor,
    ),
  );
  expect(links).not.toEqual([]);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});
