import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// How much there is to read, in lines: of the source without its tests, and of the tests with all that serves them.

const isTest = (file: string) => file.startsWith('test/') || /\.test\.tsx?$/.test(file);

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }));

/** What a newcomer reads first. */
const core = [
  'server/kernel',
  'server/access',
  'server/calls/call.ts',
  'server/features/records',
  'shared/content',
  'shared/contract',
];
/** What a feature or a kind of record has of its own is no grammar. */
const isCore = (file: string) =>
  core.some((part) => file === part || file.startsWith(`${part}/`)) &&
  !/^shared\/contract\/(features|resources|kinds)\//.test(file);

const sum = (rows: typeof files) => rows.reduce((total, { lines }) => total + lines, 0);

function print(title: string, rows: typeof files) {
  console.log(
    `${title.padEnd(28)}${String(rows.length).padStart(6)} files${String(sum(rows)).padStart(8)} lines`,
  );
}

const sources = files.filter(({ file }) => !isTest(file));
const groupOf = (file: string) => file.split('/').slice(0, 2).join('/');
for (const [folder, rows] of Map.groupBy(sources, ({ file }) => groupOf(file)))
  if (sum(rows) > 100) print(folder, rows);
print(
  'core',
  sources.filter(({ file }) => isCore(file)),
);
print('source', sources);
print(
  'tests',
  files.filter(({ file }) => isTest(file)),
);
