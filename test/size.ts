import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Prints the number of files and lines: of the source without its tests, and of the tests with their support code.

interface Counted {
  file: string;
  lines: number;
}

const root = path.join(import.meta.dirname, '..');

/** All code of the project. */
const countFiles = (): Counted[] =>
  globSync('{*,{client,server,shared,worker,test}/**/*}.{ts,tsx,mjs}', { cwd: root, exclude: isMade }).map(
    (file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n').length - 1 }),
  );

const isMade = (name: string) => /(^|\/)(node_modules|dist)$/.test(name);

const sum = (rows: readonly Counted[]) => rows.reduce((total, { lines }) => total + lines, 0);

const isTest = (file: string) => file.startsWith('test/') || /\.test\.tsx?$/.test(file);

function print(title: string, rows: readonly Counted[]) {
  console.log(
    `${title.padEnd(28)}${String(rows.length).padStart(6)} files${String(sum(rows)).padStart(8)} lines`,
  );
}

const files = countFiles();
const sources = files.filter(({ file }) => !isTest(file));
const groupOf = ({ file }: Counted) => file.split('/').slice(0, 2).join('/');
for (const [folder, rows] of Map.groupBy(sources, groupOf)) if (sum(rows) > 100) print(folder, rows);
print('source', sources);
print(
  'tests',
  files.filter(({ file }) => isTest(file)),
);
