import pg from 'pg';
import { z } from 'zod';
import { SessionClient } from '../../../shared/db/session.ts';

/** Step of a plan. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Index Cond'?: string | undefined;
  'Total Cost': number;
  /** Number of rows per loop; 0 if it was not executed. */
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  'Rows Removed by Index Recheck'?: number | undefined;
  Plans?: PlanNode[] | undefined;
}

const PlanNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Index Name': z.string().optional(),
    'Index Cond': z.string().optional(),
    'Total Cost': z.number(),
    'Actual Rows': z.number().default(0),
    'Actual Loops': z.number().default(0),
    'Rows Removed by Filter': z.number().optional(),
    'Rows Removed by Index Recheck': z.number().optional(),
    Plans: z.array(PlanNode).optional(),
  }),
);

const settings = z.record(z.string(), z.string()).default({});

/** Result of `explain (format json, settings)`. */
export const Explained = z.object({ Plan: PlanNode, Settings: settings }).transform(({ Plan, Settings }) => ({
  nodes: nodesOf(Plan),
  settings: Settings,
}));

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const QueryText = z.object({ 'Query Text': z.string() });

/** Executed statement with its plan, also inside a trigger. */
export interface Executed extends z.infer<typeof Explained> {
  text: string;
}

const explaining = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_settings': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'warning',
};

/** Maximum number of reports per statement. */
interface Looks {
  max: number;
}

/**
 * Makes PostgreSQL report the plans of all statements on connections that this process opens later. Existing
 * connections are closed. `told` receives each plan.
 */
export async function hearPlans(
  databaseUrl: string,
  told: (executed: Executed) => void,
  { max }: Looks = { max: Number.POSITIVE_INFINITY },
) {
  const looks = new Map<string, number>();
  const heard = ({ message = '' }: { message?: string | undefined }) => {
    const [, json, statement = ''] =
      /^duration: .*? plan:\n(\{\s*"Query Text": (.*?)\n.*)$/s.exec(message) ?? [];
    const look = looks.get(statement) ?? 0;
    looks.set(statement, look + 1);
    if (json === undefined || look >= max) return;
    const explained: unknown = JSON.parse(json);
    told({ text: QueryText.parse(explained)['Query Text'], ...Explained.parse(explained) });
  };
  const connect: unknown = Reflect.get(pg.Client.prototype, 'connect');
  if (typeof connect !== 'function') throw new Error('pg.Client has no method connect');
  Reflect.set(pg.Client.prototype, 'connect', function listening(this: pg.Client, ...args: unknown[]) {
    this.on('notice', heard);
    return Reflect.apply(connect, this, args);
  });
  const name = new URL(databaseUrl).pathname.slice(1);
  await asOperator(databaseUrl, async (session) => {
    for (const [setting, value] of Object.entries(explaining))
      await session.query(`alter database ${name} set ${setting} = '${value}'`);
    await session.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  });
  return { [Symbol.dispose]: () => void Reflect.set(pg.Client.prototype, 'connect', connect) };
}

/** Records the plans of one piece of work at a time. */
export async function recordPlans(databaseUrl: string) {
  const executed: Executed[] = [];
  const heard = await hearPlans(databaseUrl, (each) => void executed.push(each));
  return {
    /** Returns the statements of `work` with their plans. */
    async of(work: () => Promise<unknown>): Promise<Executed[]> {
      executed.length = 0;
      await work();
      return [...executed];
    },
    [Symbol.dispose]: () => heard[Symbol.dispose](),
  };
}

/** Runs `work` on its own connection. */
export async function asOperator(
  databaseUrl: string,
  work: (session: SessionClient) => Promise<unknown>,
  sessionSettings = {},
) {
  const session = new SessionClient({ connectionString: databaseUrl, settings: sessionSettings });
  await session.connect();
  await work(session).finally(() => session.end());
}
