import type { A_Expr, CaseExpr, Node, SubLink } from 'libpg-query';
import { columnOf, columnsIn } from './nodes.ts';

/** What stands for a site in the database. */
export interface Names {
  /** By table, the column that says whose a row is. */
  siteColumns: ReadonlyMap<string, string>;
  /** Columns that lead to rows of one site by themselves, as `api_keys.key_hash`. */
  lookups: ReadonlySet<string>;
}

/** One of the things that a query reads from. */
interface Relation {
  /** Null for what is no table of sites. */
  table: string | null;
  /** Whether it is known of which site its rows are. */
  bound: boolean;
}

/** A query, as far as its conditions are concerned. */
export interface Level {
  relations: Map<string, Relation>;
  /** All have to hold. */
  conditions: Node[];
  /** Names of relations that are joined by `using (site_id)`. */
  shared: string[][];
  ctes: ReadonlySet<string>;
  /** The query around it. */
  outer: Level | null;
}

/** Marks the relations that conditions bind to a site; what is bound binds what is joined on it. */
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

/** Whether only rows of known sites meet the condition. */
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

/** `(site_id, id) in (select …)`, or a row's place in its table: the query inside is checked by itself. */
function bindsToQuery(question: Question, { subLinkType, testexpr }: SubLink): boolean {
  if (subLinkType !== 'ANY_SUBLINK' || !testexpr) return false;
  return partsOf(testexpr).some((part) => isSite(question, part) || columnOf(part)?.at(-1) === 'ctid');
}

/** What an expression says is equal: a side, and all values that the other may have. */
function pairsOf(expression: A_Expr): [Node, Node[]][] {
  const { kind, lexpr, rexpr } = expression;
  if (!lexpr || !rexpr || operatorOf(expression) !== '=') return [];
  const sides = partsOf(lexpr);
  if (kind === 'AEXPR_OP_ANY') return [[lexpr, [rexpr]]];
  if (kind === 'AEXPR_IN' && 'List' in rexpr) {
    const rows = (rexpr.List.items ?? []).map(partsOf);
    return sides.map((side, place) => [side, rows.flatMap((row) => row[place] ?? [])]);
  }
  if (kind !== 'AEXPR_OP') return [];
  const others = partsOf(rexpr);
  return sides.flatMap((side, place) => {
    const other = others[place];
    return other ? [[side, [other]] satisfies [Node, Node[]], [other, [side]] satisfies [Node, Node[]]] : [];
  });
}

const operatorOf = ({ name: [operator] = [] }: A_Expr) =>
  operator && 'String' in operator ? operator.String.sval : undefined;

/** The parts of a row, or what is no row itself. */
const partsOf = (node: Node): Node[] => ('RowExpr' in node ? (node.RowExpr.args ?? []) : [node]);

const isPinned = (question: Question, one: Node, values: readonly Node[]) =>
  isSite(question, one) && values.every((value) => isGiven(question.level, value));

/** Whether it is the column of the relation that says whose its rows are, or leads to rows of one site. */
function isSite(question: Question, node: Node): boolean {
  const { level, names, relation } = question;
  if ('CollateClause' in node)
    return node.CollateClause.arg !== undefined && isSite(question, node.CollateClause.arg);
  if ('CaseExpr' in node) return casesOf(node.CaseExpr).every((result) => isSite(question, result));
  // `site_id || ''`, which keeps the planner from an index.
  if ('A_Expr' in node && operatorOf(node.A_Expr) === '||')
    return [node.A_Expr.lexpr].some((left) => left && isSite(question, left));
  const column = columnOf(node);
  if (!column || relationOf(level, column) !== relation) return false;
  const name = column.at(-1) ?? '';
  const table = relation.table ?? '';
  return names.siteColumns.get(table) === name || names.lookups.has(`${table}.${name}`);
}

/** What a case may be, besides null: that equals nothing. */
const casesOf = ({ args = [], defresult }: CaseExpr): Node[] => [
  ...args.flatMap((when) => ('CaseWhen' in when && when.CaseWhen.result ? [when.CaseWhen.result] : [])),
  ...(defresult ? [defresult] : []),
];

/** Whether an expression needs no row of which nobody knows the site. */
function isGiven(level: Level, node: Node): boolean {
  return [...columnsIn({ node })].every((column) => relationOf(level, column)?.bound);
}

/** Of which relation a column is. One without a name is of the only table of sites in the query, or else around it. */
function relationOf(level: Level | null, column: readonly string[]): Relation | undefined {
  if (!level) return undefined;
  const [first = ''] = column;
  if (column.length > 1) return level.relations.get(first) ?? relationOf(level.outer, column);
  const relations = [...level.relations.values()];
  const stored = relations.filter(({ table }) => table);
  if (stored.length > 1) return undefined;
  return stored[0] ?? relations[0] ?? relationOf(level.outer, column);
}
