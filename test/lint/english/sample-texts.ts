import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readTexts, type Text } from './read-texts.ts';

// Draws texts for the fresh-reader check: readers who have not seen the code say in one sentence what each text means,
// and for functions the unit, null and errors of their values. The draw depends on HEAD alone, or on the seed after
// `--seed`. Prints no paths; `--answers` prints them, for the person who grades.

const root = path.join(import.meta.dirname, '../../..');
const seedOption = process.argv.indexOf('--seed');
const seed =
  process.argv[seedOption === -1 ? process.argv.length : seedOption + 1] ??
  execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: root }).trim();

const isLong = ({ text }: Text) => text.split(' ').filter((word) => /[a-z]{2}/i.test(word)).length >= 3;

/** The code between a comment and the end of the declaration's first line, or of its parameters. */
function declarationAfter({ file, line }: Text): string {
  const lines = readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .slice(line - 1);
  const start = lines.findIndex((each) => !/^\s*(\/\*|\*|\/\/|$)/.test(each));
  const end = lines.findIndex((each, index) => index >= start && /([;{,]|=>)$/.test(each));
  return lines.slice(start, Math.min(end, start + 8) + 1).join('\n');
}

const isCode = ({ file }: Text) => /^(client|server|shared|worker)\/.*(?<!\.test)\.tsx?$/.test(file);
const isFunction = (text: Text) =>
  isCode(text) &&
  text.isDocComment === true &&
  /^export (async )?function|^export const \w+ = (async )?\(/.test(declarationAfter(text));

interface Sample {
  title: string;
  count: number;
  isIn(text: Text): boolean;
  /** True if a text is shown with the declaration below it. */
  isDeclaration?: boolean;
}

const samples: Sample[] = [
  { title: 'Studio texts', count: 40, isIn: ({ file }) => file.startsWith('client/studio/strings/') },
  { title: 'Messages and log lines', count: 40, isIn: ({ area }) => area === 'API and CLI' },
  { title: 'Paragraphs of docs', count: 40, isIn: ({ file }) => /^README|^docs\/operate\//.test(file) },
  { title: 'Test titles', count: 40, isIn: ({ area }) => area === 'test titles' },
  {
    title: 'Comments with their declaration',
    count: 60,
    isIn: (text) => isCode(text) && text.kind === 'comments' && !isFunction(text),
    isDeclaration: true,
  },
  { title: 'Functions: unit, null and errors', count: 20, isIn: isFunction, isDeclaration: true },
];

const orderOf = ({ text }: Text) => createHash('sha256').update(`${seed} ${text}`).digest('hex');

// Texts that occur several times are drawn once.
const texts = [...new Map(readTexts().map((text) => [text.shown, text])).values()].filter(isLong);
for (const { title, count, isIn, isDeclaration } of samples) {
  const drawn = texts
    .filter(isIn)
    .map((text) => ({ text, order: orderOf(text) }))
    .toSorted((one, other) => one.order.localeCompare(other.order))
    .slice(0, count);
  console.log(`\n## ${title}\n`);
  for (const [index, { text }] of drawn.entries()) {
    const position = process.argv.includes('--answers') ? `  (${text.file}:${text.line})` : '';
    console.log(`${index + 1}. ${text.shown}${position}`);
    if (isDeclaration) console.log(declarationAfter(text).replace(/^/gm, '   | '));
  }
}
