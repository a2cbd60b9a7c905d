import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

// How much there is to read, in lines: of the source without its tests, and of the tests with all that serves them.

interface Counted {
  file: string;
  lines: number;
}

const root = path.join(import.meta.dirname, '..');

/** All code of the project. */
export const countFiles = (): Counted[] =>
  globSync('{*,{client,server,shared,worker,test}/**/*}.{ts,tsx,mjs}', { cwd: root, exclude: isMade }).map(
    (file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n').length - 1 }),
  );

const isMade = (name: string) => /(^|\/)(node_modules|dist)$/.test(name);

export const sum = (rows: readonly Counted[]) => rows.reduce((total, { lines }) => total + lines, 0);

const isTest = (file: string) => file.startsWith('test/') || /\.test\.tsx?$/.test(file);

/** What a newcomer reads first. */
const core = [
  'server/kernel',
  'server/access',
  'server/calls/call.ts',
  'server/features/records',
  'shared/content',
  'shared/contract',
];
/** What a feature, a kind of record or the public site has of its own is no grammar. */
const ofTheirOwn = /^shared\/contract\/(features|resources|kinds|site-paths\.ts)/;

export const isCore = ({ file }: Counted) =>
  !isTest(file) &&
  !ofTheirOwn.test(file) &&
  core.some((part) => file === part || file.startsWith(`${part}/`));

function print(title: string, rows: readonly Counted[]) {
  console.log(
    `${title.padEnd(28)}${String(rows.length).padStart(6)} files${String(sum(rows)).padStart(8)} lines`,
  );
}

if (import.meta.main) {
  const files = countFiles();
  const sources = files.filter(({ file }) => !isTest(file));
  const groupOf = ({ file }: Counted) => file.split('/').slice(0, 2).join('/');
  for (const [folder, rows] of Map.groupBy(sources, groupOf)) if (sum(rows) > 100) print(folder, rows);
  print('core', sources.filter(isCore));
  print('source', sources);
  print(
    'tests',
    files.filter(({ file }) => isTest(file)),
  );
}
