import type { ColumnRef, Node, RangeVar, SelectStmt } from 'libpg-query';

// Functions for the parser's trees that apply to all kinds of nodes: `{ SelectStmt: { … } }`.

function* partsOf(value: unknown): Generator<[name: string, part: object]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value))
    if (typeof part === 'object' && part !== null) yield [name, part];
}

/** Checks whether a part of a tree is a node of this kind. */
const isOf = <Kind extends string>(kind: Kind, node: unknown): node is { [K in Kind]: object } =>
  typeof node === 'object' && node !== null && kind in node;

/** Finds the queries directly inside a statement, except those in its `with`. */
export function* nestedIn(value: unknown): Generator<SelectStmt> {
  for (const [name, part] of partsOf(value)) {
    if (name === 'withClause') continue;
    if (name === 'SelectStmt') yield part;
    else yield* nestedIn(part);
  }
}

/** Finds the columns in an expression and its queries, each as a list of names from left to right. */
export function* columnsIn(value: unknown): Generator<readonly string[]> {
  for (const [name, part] of partsOf(value)) {
    if (name === 'ColumnRef') yield namesOf(part);
    else yield* columnsIn(part);
  }
}

/** Finds the tables in a part of a tree. */
export function* relationsIn(value: unknown): Generator<RangeVar> {
  for (const [name, part] of partsOf(value)) {
    // Some nodes contain a table under the name of its role.
    if (name === 'RangeVar' || 'relname' in part) yield part;
    else yield* relationsIn(part);
  }
}

/** Returns the names of a column, such as `['d', 'site_id']` for `d.site_id`; null for other nodes. */
export const columnOf = (node: Node): readonly string[] | null =>
  'ColumnRef' in node ? namesOf(node.ColumnRef) : null;

const namesOf = ({ fields = [] }: ColumnRef) =>
  fields.map((field) => (isOf('String', field) ? String(Reflect.get(field.String, 'sval')) : '*'));
