import type { A_Expr, CaseExpr, Node, SubLink } from 'libpg-query';
import { columnOf, columnsIn } from './nodes.ts';

/** Names that identify a site in the database. */
export interface Names {
  /** Column with the site of a row, by table. */
  siteColumns: ReadonlyMap<string, string>;
  /** Columns that identify rows of one site by themselves, such as `api_keys.key_hash`. */
  lookups: ReadonlySet<string>;
}

/** Relation that a query reads. */
interface Relation {
  /** Name of the table; null if its rows do not belong to sites. */
  table: string | null;
  /** True if the site of its rows is known. */
  bound: boolean;
}

/** Query with its relations and conditions. */
export interface Level {
  relations: Map<string, Relation>;
  /** Conditions that all apply. */
  conditions: Node[];
  /** Names of relations that are joined by `using (site_id)`. */
  shared: string[][];
  ctes: ReadonlySet<string>;
  /** Query that contains this one; null if there is none. */
  outer: Level | null;
}

/** Marks relations as bound if conditions bind them to a site. A bound relation binds those joined with it. */
export function settle(level: Level, names: Names) {
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, relation] of level.relations) {
      if (relation.bound) continue;
      const isJoined = level.shared.some(
        (joined) => joined.includes(name) && joined.some((other) => level.relations.get(other)?.bound),
      );
      const isBound = (condition: Node) => binds({ level, names, relation }, condition);
      if (!isJoined && !level.conditions.some(isBound)) continue;
      relation.bound = true;
      changed = true;
    }
  }
}

interface Question {
  level: Level;
  names: Names;
  relation: Relation;
}

/** Checks whether only rows of known sites can meet a condition. */
function binds(question: Question, condition: Node): boolean {
  if ('BoolExpr' in condition) {
    const { boolop, args = [] } = condition.BoolExpr;
    if (boolop === 'AND_EXPR') return args.some((arg) => binds(question, arg));
    if (boolop === 'OR_EXPR') return args.every((arg) => binds(question, arg));
    return false;
  }
  if ('SubLink' in condition) return bindsToQuery(question, condition.SubLink);
  return (
    'A_Expr' in condition && pairsOf(condition.A_Expr).some(([one, other]) => isPinned(question, one, other))
  );
}

/** Checks `(site_id, id) in (select …)` or a comparison of `ctid`. The inner query is checked separately. */
function bindsToQuery(question: Question, { subLinkType, testexpr }: SubLink): boolean {
  if (subLinkType !== 'ANY_SUBLINK' || !testexpr) return false;
  return partsOf(testexpr).some((part) => isSite(question, part) || columnOf(part)?.at(-1) === 'ctid');
}

/** Returns the pairs that an expression declares equal: one side, and all values of the other. */
function pairsOf(expression: A_Expr): [Node, Node[]][] {
  const { kind, lexpr, rexpr } = expression;
  if (!lexpr || !rexpr || operatorOf(expression) !== '=') return [];
  const sides = partsOf(lexpr);
  if (kind === 'AEXPR_OP_ANY') return [[lexpr, [rexpr]]];
  if (kind === 'AEXPR_IN' && 'List' in rexpr) {
    const rows = (rexpr.List.items ?? []).map(partsOf);
    return sides.map((side, position) => [side, rows.flatMap((row) => row[position] ?? [])]);
  }
  if (kind !== 'AEXPR_OP') return [];
  const others = partsOf(rexpr);
  return sides.flatMap((side, position) => {
    const other = others[position];
    return other ? [[side, [other]] satisfies [Node, Node[]], [other, [side]] satisfies [Node, Node[]]] : [];
  });
}

const operatorOf = ({ name: [operator] = [] }: A_Expr) =>
  operator && 'String' in operator ? operator.String.sval : undefined;

/** Returns the parts of a row; the node itself if it is not a row. */
const partsOf = (node: Node): Node[] => ('RowExpr' in node ? (node.RowExpr.args ?? []) : [node]);

const isPinned = (question: Question, one: Node, values: readonly Node[]) =>
  isSite(question, one) && values.every((value) => isGiven(question.level, value));

/** Checks whether a node is the relation's site column, or a column that identifies rows of one site. */
function isSite(question: Question, node: Node): boolean {
  const { level, names, relation } = question;
  if ('CollateClause' in node)
    return node.CollateClause.arg !== undefined && isSite(question, node.CollateClause.arg);
  if ('CaseExpr' in node) return casesOf(node.CaseExpr).every((result) => isSite(question, result));
  // `site_id || ''` has the same value; it prevents the use of an index.
  if ('A_Expr' in node && operatorOf(node.A_Expr) === '||')
    return [node.A_Expr.lexpr].some((left) => left && isSite(question, left));
  const column = columnOf(node);
  if (!column || relationOf(level, column) !== relation) return false;
  const name = column.at(-1) ?? '';
  const table = relation.table ?? '';
  return names.siteColumns.get(table) === name || names.lookups.has(`${table}.${name}`);
}

/** Returns the possible results of a case. Null is left out, because it equals nothing. */
const casesOf = ({ args = [], defresult }: CaseExpr): Node[] => [
  ...args.flatMap((when) => ('CaseWhen' in when && when.CaseWhen.result ? [when.CaseWhen.result] : [])),
  ...(defresult ? [defresult] : []),
];

/** Checks whether all columns of an expression belong to bound relations. */
function isGiven(level: Level, node: Node): boolean {
  return [...columnsIn({ node })].every((column) => relationOf(level, column)?.bound);
}

/**
 * Returns the relation of a column. A column without a prefix belongs to the only table of sites in the query, or else
 * to an outer query.
 */
function relationOf(level: Level | null, column: readonly string[]): Relation | undefined {
  if (!level) return undefined;
  const [first = ''] = column;
  if (column.length > 1) return level.relations.get(first) ?? relationOf(level.outer, column);
  const relations = [...level.relations.values()];
  const stored = relations.filter(({ table }) => table);
  if (stored.length > 1) return undefined;
  return stored[0] ?? relations[0] ?? relationOf(level.outer, column);
}
