import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Row {
  part: string;
  work: string;
  /** Empty for a row without a target. */
  target: string;
  result: string;
  /** Null without a target. */
  met: boolean | null;
  /** Values that the result is derived from, for the JSON file. Units are in the names. */
  values: Record<string, number | null>;
}

export function printTable(rows: readonly Row[]) {
  const lines = [
    ['part', 'work', 'target', 'result', ''],
    ...rows.map(({ part, work, target, result, met }) => [part, work, target, result, decision(met)]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) console.log(line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
}

export async function writeJson(file: string, rows: readonly Row[], conditions: object) {
  await writeFile(file, `${JSON.stringify({ conditions, rows }, null, 2)}\n`);
}

const decision = (met: boolean | null) => (met === null ? '' : met ? 'met' : 'MISSED');

const wholes = new Intl.NumberFormat('en');

export const perSecond = (rate: number) => `${wholes.format(Math.round(rate))}/s`;

export const times = (ratio: number) => `${ratio.toFixed(2)} ×`;

export const millis = (ms: number) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;

export const count = (value: number) => wholes.format(value);

/**
 * Returns the CPU time of each of `work` units, from the process's time before and after; null if the machine does not
 * report it.
 */
export const cpuMsEach = (before: number | null, after: number | null, work: number) =>
  before === null || after === null ? null : ((after - before) * 1_000) / work;

export const cpu = (ms: number | null) => (ms === null ? 'unknown' : `${ms.toFixed(2)} ms`);

const benchmarksPage = path.resolve(import.meta.dirname, '../../BENCHMARKS.md');
const block = /(<!-- generated: figures -->\n).*?(<!-- end -->)/s;
const head = '| Part | Work | Target | Result | | Measured |\n| --- | --- | --- | --- | --- | --- |';

const lineOf = (row: Row, date: string) =>
  `| ${[row.part, row.work, row.target, row.result, decision(row.met), date].join(' | ')} |`;

const partOf = (line: string) => /^\| (\S+)/.exec(line)?.[1] ?? '';

/** Replaces the figures of the measured parts in BENCHMARKS.md. Those of other parts stay, with their date. */
export async function updatePage(rows: readonly Row[], order: readonly string[]): Promise<void> {
  const text = await readFile(benchmarksPage, 'utf8');
  const [figures = ''] = block.exec(text) ?? [];
  const measured = new Set(rows.map(({ part }) => part));
  const kept = figures
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .filter((line) => !measured.has(partOf(line)));
  const date = new Date().toISOString().slice(0, 10);
  const lines = [...kept, ...rows.map((row) => lineOf(row, date))].toSorted(
    (one, other) => order.indexOf(partOf(one)) - order.indexOf(partOf(other)),
  );
  await writeFile(
    benchmarksPage,
    text.replace(
      block,
      (_, begin: string, end: string) => `${begin}\n${head}\n${lines.join('\n')}\n\n${end}`,
    ),
  );
}
