import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { type Direction, directions, doors } from './directions.ts';

/** An import, export or type of another module. */
export interface Import {
  file: string;
  line: number;
  /** A path of the project, or the name by which a package is imported. */
  target: string;
}

/** Returns every import of the project's code. */
export const importsOf = (root: string): Import[] =>
  globSync('{server,shared,worker,client}/**/*.{ts,tsx}', { cwd: root, exclude: isMade }).flatMap((file) =>
    importsIn(file, readFileSync(path.join(root, file), 'utf8')),
  );

const isMade = (name: string) => /(^|\/)(node_modules|dist)$/.test(name);

export function importsIn(file: string, code: string): Import[] {
  const found: Import[] = [];
  const add = ({ source }: { source: ESTree.Expression | null }) => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    const target = source.value.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), source.value)
      : source.value;
    found.push({ file, line: code.slice(0, source.start).split('\n').length, target });
  };
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
  }).visit(parseSync(file, code).program);
  return found;
}

/** Returns why an import is not allowed, or null if it is. Tests may use every package and all test support. */
export function refusalOf({ file, line, target }: Import): string | null {
  const row = Object.entries(directions).find(([pattern]) => path.matchesGlob(file, pattern));
  if (!row) return `${file} stands in no row of test/lint/directions.ts`;
  const [pattern, direction] = row;
  const closed = Object.keys(doors).find((folder) => isWithin(target, [folder]) && !isWithin(file, [folder]));
  if (closed && !doors[closed]?.includes(path.posix.relative(closed, target)))
    return `${file}:${line} imports ${target}: import ${closed}/${doors[closed]?.join(' or ')} instead`;
  const mayImport =
    (isOfProject(target) ? isReached(target, partOf(file, pattern), direction) : mayUse(target, direction)) ||
    (file.endsWith('.test.ts') && (target.startsWith('test/') || !isOfProject(target)));
  return mayImport
    ? null
    : `${file}:${line} imports ${target}, which \`${pattern}\` of test/lint/directions.ts does not allow`;
}

const isReached = (target: string, part: string, { project, except = '' }: Direction) =>
  isWithin(target, [part, ...words(project)]) && !isWithin(target, words(except));

const isOfProject = (target: string) => /^(server|shared|worker|client|test)\//.test(target);

/** Returns the part of the file's path in front of `**` in the pattern. */
function partOf(file: string, pattern: string): string {
  const depth = pattern.split('/').indexOf('**');
  return depth < 0 ? file : file.split('/').slice(0, depth).join('/');
}

function mayUse(target: string, { only, but }: Direction): boolean {
  const named = (list: string) =>
    words(list).some((name) => target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`));
  return (only === undefined || named(only)) && (but === undefined || !named(but));
}

const isWithin = (target: string, positions: readonly string[]) =>
  positions.some((position) =>
    position.endsWith('/*')
      ? path.posix.dirname(target) === position.slice(0, -2)
      : target === position || target.startsWith(`${position}/`),
  );

const words = (list: string) => list.split(/\s+/).filter(Boolean);

if (import.meta.main) {
  const refusals = importsOf(path.join(import.meta.dirname, '../..')).flatMap((one) => refusalOf(one) ?? []);
  for (const refusal of new Set(refusals)) console.error(refusal);
  process.exitCode = refusals.length > 0 ? 1 : 0;
}
