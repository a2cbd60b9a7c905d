import type pg from 'pg';
import { z } from 'zod';
import { asOperator, type Executed, Explained, hearPlans, type PlanNode } from './plans.ts';
import { readsMore } from './reads-more.ts';

/** Faults in how statements find their rows, by statement. */
export type Faults = Map<string, { occasion: string; faults: string[]; plan: string[] }>;

/** Maximum cost of a statement. Above it PostgreSQL compiles a statement by default. */
const maxCost = 100_000;

/** Cost that PostgreSQL before 18 adds for each scan of a kind that is turned off, such as `enable_seqscan`. */
const disabledCost = 10_000_000_000;

/** Number of rows that a statement may read, even if its result is smaller: joins and small tables of a site. */
const fewRows = 100;

/** Maximum number of executions per statement that are judged. */
const looks = { max: 20 };

/**
 * Judges the plans of all statements that are sent, including those inside functions and triggers, until it is disposed
 * of.
 */
export async function judgePlans(databaseUrl: string, occasion: () => string) {
  const faults: Faults = new Map();
  const heard = await hearPlans(databaseUrl, (executed) => note(faults, executed, occasion()), looks);
  return { faults, [Symbol.dispose]: () => heard[Symbol.dispose]() };
}

/** Returns the faults in the plans that PostgreSQL would choose for these statements with its current statistics. */
export async function explainAll(databaseUrl: string, sent: ReadonlyMap<string, unknown>): Promise<Faults> {
  const faults: Faults = new Map();
  const explain = async (session: pg.Client) => {
    for (const [text, values] of sent) {
      if (!/^(\/\*.*?\*\/|[\s(])*(select|insert|update|delete|with)\b[^;]*$/i.test(text)) continue;
      const { rows } = await session
        .query(`explain (format json, settings) ${text}`, Array.isArray(values) ? values : [])
        // Partitions may have been dropped.
        .catch(({ code, ...error }: pg.DatabaseError) => {
          if (code === '42P01') return { rows: [] };
          throw Object.assign(error, { text });
        });
      for (const row of rows) {
        const [explained] = z.array(Explained).parse(row['QUERY PLAN']);
        if (explained) note(faults, { text, ...explained }, 'explained later');
      }
    }
  };
  await asOperator(databaseUrl, explain, { enable_seqscan: 'off' });
  return faults;
}

/** Deletes PostgreSQL's statistics of all tables, or updates them. */
export const setStatistics = (databaseUrl: string, state: 'missing' | 'current') =>
  asOperator(databaseUrl, (session) =>
    session.query(
      state === 'current'
        ? 'analyze'
        : 'delete from pg_statistic; update pg_class set reltuples = -1, relpages = 0',
    ),
  );

function note(all: Faults, { text, nodes, settings }: Executed, occasion: string) {
  const statement = text.replace(/\s+/g, ' ').trim();
  // Skips statements of Graphile Worker and of the tests themselves.
  if (
    all.has(statement) ||
    /graphile_worker|auto_explain|pg_catalog|information_schema|^select '\w+' as name|^select from/.test(
      statement,
    )
  )
    return;
  const cost = (nodes[0]?.['Total Cost'] ?? 0) % disabledCost;
  const read = nodes.reduce((sum, node) => sum + rowsRead(node), 0);
  const allowed = readsMore.find(({ statements }) => statements.some((pattern) => pattern.test(statement)));
  const max = allowed?.max ?? Math.max(fewRows, 10 * rowsAnswered(nodes));
  const faults = [
    ...nodes.flatMap((node) =>
      isSequential(node) && !allowed?.whole ? [`reads all of ${node['Relation Name']}`] : [],
    ),
    ...(cost > maxCost ? [`costs ${cost}`] : []),
    ...(settings.jit === 'off' ? [] : ['may be compiled']),
    ...(read > max ? [`reads ${read} rows, more than ${max}`] : []),
  ];
  if (faults.length > 0) all.set(statement, { occasion, faults, plan: nodes.map(described) });
}

const isSequential = (node: PlanNode) => node['Node Type'] === 'Seq Scan';

/** Returns the number of rows read from a table or an index. Rows of a bitmap count when its index is read. */
function rowsRead(node: PlanNode): number {
  const { 'Node Type': type, 'Actual Rows': rows, 'Actual Loops': loops, Plans: [within] = [] } = node;
  const isHeap = type === 'Bitmap Heap Scan' && !(within && tellsPages(within));
  if (!type.endsWith('Scan') || isHeap || tellsPages(node) || !(node['Relation Name'] || node['Index Name']))
    return 0;
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Index Recheck': rechecked = 0 } = node;
  return loops * (rows + filtered + rechecked);
}

/** Checks for a BRIN index. Only the number of its pages is known, each counted as ten rows. */
const tellsPages = (node: PlanNode) => /(_day|^audit_log_age)_idx$/.test(node['Index Name'] ?? '');

/** Returns the number of rows in the result, or written. */
const rowsAnswered = (nodes: readonly PlanNode[]) =>
  Math.max(
    1,
    nodes[0]?.['Actual Rows'] ?? 0,
    ...nodes.map((node) =>
      node['Node Type'] === 'ModifyTable' ? (node.Plans?.[0]?.['Actual Rows'] ?? 0) : 0,
    ),
  );

const described = (node: PlanNode) =>
  [
    node['Node Type'],
    node['Relation Name'] ?? '',
    node['Index Name'] ?? '',
    `${node['Actual Rows']} rows × ${node['Actual Loops']}`,
    `-${node['Rows Removed by Filter'] ?? 0}`,
  ].join(' ');
