import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import type { StoreDeps } from '../../server/api/deps.ts';
import { residentMegabytes } from './processes.ts';

/** Resources of a service at one time. Numbers are null if the machine does not report them. */
export interface Sample {
  /** Minutes since the load began. */
  minute: number;
  /** Number of records created and deleted since the load began. */
  writes: number;
  serverMegabytes: number | null;
  workerMegabytes: number | null;
  serverFiles: number | null;
  workerFiles: number | null;
  /** Bytes of each table, and of its indexes. */
  tables: Record<string, { table: number; indexes: number }>;
}

interface Watched {
  operator: StoreDeps;
  serverPid: number;
  workerPid: number;
}

export async function takeSample(
  { operator, serverPid, workerPid }: Watched,
  minute: number,
  writes: number,
): Promise<Sample> {
  return {
    minute,
    writes,
    serverMegabytes: await residentMegabytes(serverPid),
    workerMegabytes: await residentMegabytes(workerPid),
    serverFiles: await openFiles(serverPid),
    workerFiles: await openFiles(workerPid),
    tables: await tableSizes(operator),
  };
}

const openFiles = (pid: number) =>
  readdir(`/proc/${pid}/fd`).then(
    ({ length }) => length,
    () => null,
  );

/** Returns table sizes. Partitions count as part of their table. */
async function tableSizes({ database }: StoreDeps): Promise<Sample['tables']> {
  const { rows } = await sql<{ name: string; table: number; indexes: number }>`
    select coalesce(p.relname, c.relname) as name, sum(pg_table_size(c.oid))::float8 as table,
      sum(pg_indexes_size(c.oid))::float8 as indexes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker')
    group by 1 order by 1`.execute(database.em.getKysely());
  return Object.fromEntries(rows.map(({ name, table, indexes }) => [name, { table, indexes }]));
}

/** Returns how much a line through these points rises from the first to the last, by least squares. */
export function rise(points: readonly { at: number; value: number }[]): number {
  const mean = (of: (point: { at: number; value: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [at, value] = [mean((point) => point.at), mean((point) => point.value)];
  const spread = mean((point) => (point.at - at) ** 2);
  const slope = spread === 0 ? 0 : mean((point) => (point.at - at) * (point.value - value)) / spread;
  return slope * ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0));
}
