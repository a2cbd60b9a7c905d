import type pg from 'pg';
import type { LimitRow, Size } from './limit-statements.ts';

/** Of as many subjects as asked last. */
const mostKnown = 5_000;

/** Rows of a statement, so that each takes a small part of the time that it has. */
const atOnce = 500;

/*
 * Of a window those of before are older than all that were let through since; those that the row has dropped are over. Rows
 * are locked in the order of their keys, as all who count do.
 */
const restoreSql = `
insert into rate_limits as kept (key, per_minute, burst, asked_at, granted, full_at, taken)
select key, per_minute, burst, asked_at, 0, full_at, taken
from json_to_recordset($1) as known (key text, per_minute integer, burst integer, asked_at double precision,
  full_at double precision, taken double precision[])
order by key collate "C"
on conflict (key) do update set
  asked_at = greatest(kept.asked_at, excluded.asked_at),
  full_at = greatest(kept.full_at, excluded.full_at),
  taken = array(select t from unnest(excluded.taken) as t where t < all (kept.taken)) || kept.taken`;

/**
 * What this process last saw of each subject's row. The table is not in the write-ahead log, so a crash of PostgreSQL or a
 * standby that takes over empties it, and nobody is to begin anew by that.
 */
export function createKnownRows() {
  const known = new Map<string, object>();
  return {
    note({ key, asked_at, full_at, taken = null }: LimitRow, [per_minute, burst]: Size) {
      // The latest stand last.
      known.delete(key);
      known.set(key, { key, per_minute, burst, asked_at, full_at, taken });
      const [oldest] = known.size > mostKnown ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
    },
    /** Statements that put back what is missing, the latest first. */
    restore(): pg.QueryConfig[] {
      const rows = [...known.values()].reverse();
      const parts = Array.from({ length: Math.ceil(rows.length / atOnce) }, (_, n) =>
        rows.slice(n * atOnce, (n + 1) * atOnce),
      );
      return parts.map((part) => ({ text: restoreSql, values: [JSON.stringify(part)] }));
    },
  };
}

export type KnownRows = ReturnType<typeof createKnownRows>;
