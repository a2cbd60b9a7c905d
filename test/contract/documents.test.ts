import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// Paths and links in documents must not point to files or sections that were moved.

const documents = globSync(['*.md', 'docs/**/*.md', '{server,shared}/*/README.md']);

/** Folders that a path may start in: the root of the project, the folder of the document, or the files that operators copy. */
const foldersOf = (document: string) => ['', `${dirname(document)}/`, 'deploy/'];

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

test.for(documents)(
  '%s renders on a code host: short tables, images with alternative text, no front matter',
  (document) => {
    const text = readFileSync(document, 'utf8');
    expect(text.startsWith('---')).toBe(false);
    expect(text).not.toMatch(/!\[\s*\]\(/);
    const cells = text.split('\n').filter((line) => line.startsWith('|'));
    expect(cells.filter((line) => line.split(/(?<!\\)\|/).length > 9)).toEqual([]);
  },
);

test.for(globSync('docs/reference/*.md'))(
  '%s has under 500 words, except for generated tables',
  (document) => {
    const text = readFileSync(document, 'utf8').replace(/<!-- generated[\s\S]*?<!-- end -->/g, '');
    expect(text.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThan(500);
  },
);

test('every link of the code to a document points to an existing file and section', () => {
  const sources = globSync([
    '{server,shared,worker,test}/**/*.ts',
    'client/{sdk,studio}/**/*.{ts,tsx}',
    '*.md',
  ]).filter((source) => !source.includes('node_modules'));
  const links = sources.flatMap((source) =>
    [
      ...readFileSync(source, 'utf8').matchAll(
        /docs\/(?:guides|operate|reference)\/[a-z-]+\.md(?:#[\w-]+)?/g,
      ),
    ].map(([link]) => link),
  );
  expect(links).not.toEqual([]);
  const broken = links.filter((link) => {
    const [file = '', section] = link.split('#');
    return !existsSync(file) || (section && !sectionsOf(file).includes(section));
  });
  expect(broken).toEqual([]);
});
