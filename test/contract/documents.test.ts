import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// Paths and links in documents must not point to files or sections that were moved.

const documents = globSync(['*.md', 'docs/**/*.md', '{server,shared}/*/README.md']);

/** Folders that a path may start in: the root of the project, or the folder of the document. */
const foldersOf = (document: string) => ['', `${dirname(document)}/`];

/** True for `folder/file.ts` and `folder/`; other words in backticks are not paths. */
const isPath = (word: string) => /^(?!\/)[\w.-]+(\/[\w.-]+)*(\.(ts|md|json|yaml)|\/)$/.test(word);

/** Folders that a start creates and git ignores. */
const made = ['.data/'];

test.for(documents)('every path that %s names exists', (document) => {
  const words = [...readFileSync(document, 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
  const named = words.filter((word) => isPath(word) && !made.includes(word));
  const missing = named.filter(
    (path) => !foldersOf(document).some((folder) => existsSync(`${folder}${path}`)),
  );
  expect(missing).toEqual([]);
});

/** Anchors of a document's sections, as GitHub and similar sites derive them from headings. */
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
