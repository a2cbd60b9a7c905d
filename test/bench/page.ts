import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Row } from './report.ts';

const page = path.resolve(import.meta.dirname, '../../BENCHMARKS.md');
const block = /(<!-- generated: figures -->\n).*?(<!-- end -->)/s;
const head = '| Part | Work | Target | Result | | Measured |\n| --- | --- | --- | --- | --- | --- |';

const decision = ({ met }: Row) => (met === null ? '' : met ? 'met' : 'MISSED');

const lineOf = (row: Row, date: string) =>
  `| ${[row.part, row.work, row.target, row.result, decision(row), date].join(' | ')} |`;

const partOf = (line: string) => /^\| (\S+)/.exec(line)?.[1] ?? '';

/** Replaces the figures of the measured parts in BENCHMARKS.md. Those of other parts stay, with their date. */
export async function updatePage(rows: readonly Row[], order: readonly string[]): Promise<void> {
  const text = await readFile(page, 'utf8');
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
    page,
    text.replace(
      block,
      (_, begin: string, end: string) => `${begin}\n${head}\n${lines.join('\n')}\n\n${end}`,
    ),
  );
}
