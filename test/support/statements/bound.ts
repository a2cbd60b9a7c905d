import {
  type InsertStmt,
  loadModule,
  type Node,
  parseSync,
  type RangeVar,
  type SelectStmt,
  type WithClause,
} from 'libpg-query';
import { type Level, type Names, settle } from './conditions.ts';
import { nestedIn, relationsIn } from './nodes.ts';

await loadModule();

/**
 * Returns the tables whose rows a statement reads or changes without stating the site. A table is bound to a site by a
 * condition of its own, or by a join with a bound table. A table that occurs twice is listed twice.
 *
 * The compared value is not checked, so a wrong site is accepted. Functions and triggers are not examined.
 */
export function unboundTables(statement: string, names: Names): string[] {
  const found: string[] = [];
  for (const { stmt } of parseSync(statement).stmts ?? [])
    if (stmt) checkStatement({ names, found }, stmt, null);
  return found;
}

interface Check {
  names: Names;
  found: string[];
}

function checkStatement(check: Check, node: Node, outer: Level | null) {
  if ('SelectStmt' in node) return checkSelect(check, node.SelectStmt, outer);
  if ('InsertStmt' in node) return checkInsert(check, node.InsertStmt, outer);
  if ('UpdateStmt' in node) {
    const { relation, fromClause = [], whereClause, withClause } = node.UpdateStmt;
    const from = [...(relation ? [{ RangeVar: relation }] : []), ...fromClause];
    return checkLevel(check, levelIn(check, withClause, outer), {
      from,
      whereClause,
      whole: node.UpdateStmt,
    });
  }
  if ('DeleteStmt' in node) {
    const { relation, usingClause = [], whereClause, withClause } = node.DeleteStmt;
    const from = [...(relation ? [{ RangeVar: relation }] : []), ...usingClause];
    return checkLevel(check, levelIn(check, withClause, outer), {
      from,
      whereClause,
      whole: node.DeleteStmt,
    });
  }
  // Every other statement with a table affects all its rows.
  for (const { relname = '' } of relationsIn(node))
    if (check.names.siteColumns.has(relname)) check.found.push(relname);
}

function checkSelect(check: Check, select: SelectStmt, outer: Level | null) {
  const { larg, rarg, fromClause: from = [], whereClause, withClause } = select;
  const level = levelIn(check, withClause, outer);
  if (larg && rarg) for (const side of [larg, rarg]) checkSelect(check, side, level);
  else checkLevel(check, level, { from, whereClause, whole: select });
}

/** Checks an insert: a new row states its site by its own column. */
function checkInsert(check: Check, insert: InsertStmt, outer: Level | null) {
  const { relation = {}, cols = [], selectStmt, withClause } = insert;
  const level = levelIn(check, withClause, outer);
  const column = check.names.siteColumns.get(tableOf(relation, level) ?? '');
  const named = cols.flatMap((col) => ('ResTarget' in col ? [col.ResTarget.name] : []));
  if (column && !named.includes(column)) check.found.push(relation.relname ?? '');
  if (selectStmt) checkStatement(check, selectStmt, level);
  for (const nested of nestedIn({ ...insert, selectStmt: null })) checkSelect(check, nested, level);
}

interface Parts {
  from: readonly Node[];
  whereClause: Node | undefined;
  /** The whole statement, whose parts may contain queries. */
  whole: object;
}

function checkLevel(check: Check, level: Level, { from, whereClause, whole }: Parts) {
  if (whereClause) level.conditions.push(whereClause);
  for (const item of from) addRelations(check, level, item);
  settle(level, check.names);
  for (const { table, bound } of level.relations.values()) if (table && !bound) check.found.push(table);
  for (const nested of nestedIn(whole)) checkSelect(check, nested, level);
}

/** Creates the level of a query. The queries in its `with` are checked here. */
function levelIn(check: Check, withClause: WithClause | undefined, outer: Level | null): Level {
  const ctes = (withClause?.ctes ?? []).flatMap((cte) =>
    'CommonTableExpr' in cte ? [cte.CommonTableExpr] : [],
  );
  const named = ctes.map(({ ctename = '' }) => ctename);
  const level: Level = {
    relations: new Map(),
    conditions: [],
    shared: [],
    ctes: new Set([...(outer?.ctes ?? []), ...named]),
    outer,
  };
  for (const { ctequery } of ctes) if (ctequery) checkStatement(check, ctequery, level);
  return level;
}

/** Returns the stored table that a name refers to; null for a name from `with`. */
function tableOf({ relname = '', schemaname = 'public' }: RangeVar, { ctes }: Level): string | null {
  return schemaname === 'public' && !ctes.has(relname) ? relname : null;
}

/** Adds relations to a level and returns their names. */
function addRelations(check: Check, level: Level, item: Node): string[] {
  if ('JoinExpr' in item) {
    const { larg, rarg, quals, usingClause = [] } = item.JoinExpr;
    const joined = [larg, rarg].flatMap((side) => (side ? addRelations(check, level, side) : []));
    if (quals) level.conditions.push(quals);
    if (usingClause.some((name) => 'String' in name && name.String.sval === 'site_id'))
      level.shared.push(joined);
    return joined;
  }
  if ('RangeVar' in item) {
    const { alias, relname = '' } = item.RangeVar;
    const name = alias?.aliasname ?? relname;
    const table = tableOf(item.RangeVar, level);
    const column = check.names.siteColumns.get(table ?? '');
    level.relations.set(name, column ? { table, bound: false } : { table: null, bound: true });
    return [name];
  }
  // Subquery, which is checked separately, or function of bound values.
  const name = aliasOf(item) ?? `unnamed ${level.relations.size}`;
  level.relations.set(name, { table: null, bound: true });
  return [name];
}

function aliasOf(item: Node): string | undefined {
  if ('RangeSubselect' in item) return item.RangeSubselect.alias?.aliasname;
  if ('RangeFunction' in item) return item.RangeFunction.alias?.aliasname;
  throw new Error(`unknown kind of relation: ${Object.keys(item)}`);
}
