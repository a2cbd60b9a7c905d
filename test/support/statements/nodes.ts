import type { ColumnRef, Node, RangeVar, SelectStmt } from 'libpg-query';

// The parser's trees, as far as they are the same for all kinds of nodes: `{ SelectStmt: { … } }`.

function* partsOf(value: unknown): Generator<[name: string, part: object]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value))
    if (typeof part === 'object' && part !== null) yield [name, part];
}

/** Whether a part of a tree is a whole node of this kind. */
const isOf = <Kind extends string>(kind: Kind, node: unknown): node is { [K in Kind]: object } =>
  typeof node === 'object' && node !== null && kind in node;

/** The queries right inside a statement, but for those that its `with` names. */
export function* nestedIn(value: unknown): Generator<SelectStmt> {
  for (const [name, part] of partsOf(value)) {
    if (name === 'withClause') continue;
    if (name === 'SelectStmt') yield part;
    else yield* nestedIn(part);
  }
}

/** The columns that an expression names, in queries inside it too, each with its names from left to right. */
export function* columnsIn(value: unknown): Generator<readonly string[]> {
  for (const [name, part] of partsOf(value)) {
    if (name === 'ColumnRef') yield namesOf(part);
    else yield* columnsIn(part);
  }
}

/** The tables that a part of a tree names. */
export function* relationsIn(value: unknown): Generator<RangeVar> {
  for (const [name, part] of partsOf(value)) {
    // Some nodes hold it bare, by the name of its role.
    if (name === 'RangeVar' || 'relname' in part) yield part;
    else yield* relationsIn(part);
  }
}

/** `d.site_id` as `['d', 'site_id']`; null for what is no column. */
export const columnOf = (node: Node): readonly string[] | null =>
  'ColumnRef' in node ? namesOf(node.ColumnRef) : null;

const namesOf = ({ fields = [] }: ColumnRef) =>
  fields.map((field) => (isOf('String', field) ? String(Reflect.get(field.String, 'sval')) : '*'));
