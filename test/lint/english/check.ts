import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTexts, type Text } from './read-texts.ts';

/**
 * Compares every text that people read with the patterns of `patterns.tsv`, which mark constructions that are hard to
 * understand. `baseline.txt` has the hashes of offending texts that existed when the check was added. A hash is removed when
 * its text is corrected; none is ever added. `--update` removes them, `--rates` prints hits per 1,000 words. The check also
 * limits the words of `docs`.
 */

interface Pattern {
  regex: RegExp;
  instead: string;
  kinds: ReadonlySet<string>;
}

/** Maximum number of words of prose in `docs`. */
const maxDocWords = 28_000;

/** The last commit before subjects had to follow the convention. */
const conventionalSince = '530f9a4b';

const inFolder = (name: string) => path.join(import.meta.dirname, name);
const baselineFile = inFolder('baseline.txt');

export const patterns: Pattern[] = readFileSync(inFolder('patterns.tsv'), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => {
    const [source = '', , instead = '', kinds = ''] = line.split('\t');
    return { regex: new RegExp(source, 'g'), instead, kinds: new Set(kinds.split('|')) };
  });

/** Instructions for each pattern that occurs in the text, once per occurrence. */
export function findOffenses(kind: Text['kind'] | 'commits', text: string): string[] {
  const matching = patterns.filter(({ kinds }) => kinds.has(kind));
  return matching.flatMap(({ regex, instead }) => [...text.matchAll(regex)].map(() => instead));
}

const vagueStart = /^(What|Who|Whether|How|Where|Which|Of|By|Those|The same)\b/;
const startInstead = 'begin a doc comment with a noun or a third-person verb';

const offensesOf = ({ kind, text, isDocComment }: Text) => [
  ...findOffenses(kind, text),
  ...(isDocComment && vagueStart.test(text) ? [startInstead] : []),
];

const conventional = /^[a-z]+(\([\w./, -]+\))?!?: [a-z`]/;

/** Offenses of a commit's subject. */
export function findSubjectOffenses(subject: string): string[] {
  const offenses = findOffenses('commits', subject.replace(/^[^:]*: /, ''));
  if (!conventional.test(subject)) offenses.push('type(scope): imperative subject');
  if (subject.length > 72) offenses.push('at most 72 characters');
  return offenses;
}

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname });

/** Subjects of the commits that must follow the convention; none if the history does not reach that far back. */
function readSubjects(): string[] {
  try {
    git('cat-file', '-e', `${conventionalSince}^{commit}`);
  } catch {
    return [];
  }
  return git('log', '--no-merges', '--format=%s', `${conventionalSince}..HEAD`).split('\n').filter(Boolean);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

const countWords = (rows: readonly string[]) =>
  rows.reduce((total, text) => total + text.split(/\s+/).length, 0);

function printRates(texts: readonly Text[], subjects: readonly string[]) {
  const print = (name: string, words: number, hits: number) =>
    console.log(
      `${name.padEnd(34)}${String(words).padStart(8)} words${String(hits).padStart(7)} hits${((hits / words) * 1000).toFixed(1).padStart(8)} per 1,000 words`,
    );
  const groups = Map.groupBy(texts, ({ area, file }) => (area === 'docs' ? file : area));
  for (const [name, rows] of groups)
    print(
      name,
      countWords(rows.map(({ text }) => text)),
      rows.flatMap(({ kind, text }) => findOffenses(kind, text)).length,
    );
  if (subjects.length > 0)
    print('commit subjects', countWords(subjects), subjects.flatMap(findSubjectOffenses).length);
}

if (import.meta.main) {
  const texts = readTexts();
  const subjects = readSubjects();
  if (process.argv.includes('--rates')) {
    printRates(texts, subjects);
    process.exit();
  }
  const offending = texts.filter((text) => offensesOf(text).length > 0);
  const hashes = new Set(offending.map(({ text }) => hashOf(text)));
  const baseline = existsSync(baselineFile)
    ? readFileSync(baselineFile, 'utf8').split('\n').filter(Boolean)
    : [...hashes];
  const known = new Set(baseline);
  if (process.argv.includes('--update')) {
    const kept = baseline.filter((hash) => hashes.has(hash)).toSorted();
    writeFileSync(baselineFile, kept.map((hash) => `${hash}\n`).join(''));
    console.log(`baseline.txt has ${kept.length} of ${baseline.length} hashes left`);
    process.exit();
  }
  const problems = [
    ...offending
      .filter(({ text }) => !known.has(hashOf(text)))
      .map(
        (text) =>
          `${text.file}:${text.line} ${text.text.slice(0, 160)}\n    → ${offensesOf(text).join('; ')}`,
      ),
    ...subjects.flatMap((subject) => {
      const offenses = findSubjectOffenses(subject);
      return offenses.length === 0 ? [] : [`commit "${subject}"\n    → ${offenses.join('; ')}`];
    }),
  ];
  const docWords = countWords(texts.filter(({ file }) => file.startsWith('docs/')).map(({ text }) => text));
  if (docWords > maxDocWords)
    problems.push(`docs has ${docWords} words of prose, more than ${maxDocWords}: remove repeated text`);
  const corrected = baseline.filter((hash) => !hashes.has(hash)).length;
  if (corrected > 0)
    problems.push(`${corrected} texts of baseline.txt were corrected: run \`pnpm check:english --update\``);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0)
    console.error(`\n${problems.length} problems. CONTRIBUTING.md, "Language", has the rules.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
