import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readTexts, type Text } from './read-texts.ts';

// Draws texts for the fresh-reader check: readers who have not seen the code say in one sentence what each text means.
// The draw depends on HEAD alone. Prints no paths; `--answers` prints them, for the person who grades.

const head = execFileSync('git', ['rev-parse', 'HEAD'], {
  encoding: 'utf8',
  cwd: import.meta.dirname,
}).trim();

const operatorDocs = /^(README|docs\/production|docs\/operations)\.md$/;
const isLong = ({ text }: Text) => text.split(' ').filter((word) => /[a-z]{2}/i.test(word)).length >= 3;

const samples: [title: string, count: number, isIn: (text: Text) => boolean][] = [
  ['Studio texts', 40, ({ file }) => file.startsWith('client/studio/strings/')],
  ['Messages and log lines', 40, ({ area }) => area === 'API and CLI'],
  ['Paragraphs of docs', 40, ({ file }) => operatorDocs.test(file)],
];

const orderOf = ({ text }: Text) => createHash('sha256').update(`${head} ${text}`).digest('hex');

// Texts that occur several times are drawn once.
const unique = new Map(readTexts().map((text) => [text.shown, text]));
const texts = [...unique.values()].filter((text) => text.kind !== 'comments' && isLong(text));
for (const [title, count, isIn] of samples) {
  const drawn = texts
    .filter(isIn)
    .map((text) => ({ text, order: orderOf(text) }))
    .toSorted((one, other) => one.order.localeCompare(other.order))
    .slice(0, count);
  console.log(`\n## ${title}\n`);
  for (const [index, { text }] of drawn.entries()) {
    const position = process.argv.includes('--answers') ? `  (${text.file}:${text.line})` : '';
    console.log(`${index + 1}. ${text.shown}${position}`);
  }
}
