import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Procedure, proceduresOf } from '../../../server/api/procedures.ts';
import { appRouter } from '../../../server/api/router/app-router.ts';
import { packageDir } from './sources.ts';

const file = path.join(packageDir, 'README.md');
const between = /(<!-- procedures: made by the build -->\n).*?(<!-- end of procedures -->)/s;

/**
 * Returns the package's README with the current list of procedures. Throws an `Error` if it lacks the markers around the
 * list.
 */
export async function readmeOfToday(): Promise<string> {
  const text = await readFile(file, 'utf8');
  if (!between.test(text))
    throw new Error(`${file} does not contain the markers around the list of procedures`);
  return text.replace(between, (_, begin, end) => `${begin}\n${procedureTable()}\n${end}`);
}

export const updateReadme = async () => writeFile(file, await readmeOfToday());

/** Returns a table with a row for each group of procedures, such as `v1.posts`. */
function procedureTable(): string {
  const groups = Map.groupBy(proceduresOf(appRouter).values(), ({ name }) => name.replace(/\.\w+$/, ''));
  const rows = [...groups].map(([group, procedures]) => [
    `\`${group}\``,
    namesOf(procedures, 'query'),
    namesOf(procedures, 'mutation'),
    namesOf(procedures, 'subscription'),
    [...new Set(procedures.map(needOf))].join(', '),
  ]);
  const head = ['Group', 'Reads (`query`)', 'Writes (`mutate`)', 'Streams (`subscribe`)', 'Needs'];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}

const namesOf = (procedures: readonly Procedure[], type: Procedure['type']) =>
  procedures
    .filter((procedure) => procedure.type === type)
    .map(({ name }) => `\`${name.split('.').at(-1)}\``)
    .join(', ');

function needOf({ meta }: Procedure): string {
  if (meta.scope) return `\`${meta.scope}\``;
  return meta.access === 'owner' ? 'owner' : 'nothing';
}
