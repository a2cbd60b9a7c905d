import { type Kysely, sql } from 'kysely';

/** Most copies in any second, minute, hour or day, over all processes. */
export interface MailLimit {
  most: number;
  unit: 's' | 'm' | 'h' | 'd';
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Counts are kept by so many parts of a unit, so that what falls out of it is known to one of them. */
const partsOfUnit = 60;

/** How many copies there were, by the number of the part since 1970. */
type Parts = Record<string, number>;

interface Counted {
  unit: MailLimit['unit'];
  parts: Parts;
}

/** What may be sent now. */
export interface MailRoom {
  copies: number;
  /** In how many milliseconds there is more; null where nothing is used up. */
  moreInMs: number | null;
  /** Counts copies as sent. */
  use(copies: number): Promise<void>;
}

/** The counts are locked until the end of the transaction: processes take their share one after the other. */
export async function lockMailRoom(db: Kysely<unknown>, limits: readonly MailLimit[]): Promise<MailRoom> {
  if (limits.length === 0)
    return { copies: Number.POSITIVE_INFINITY, moreInMs: null, use: async () => undefined };
  const units = limits.map(({ unit }) => unit);
  await sql`insert into mail_counts (unit, parts) select unit, '{}' from unnest(${units}::text[]) unit on conflict do nothing`.execute(
    db,
  );
  const { rows: found } = await sql<Counted>`
    select unit, parts from mail_counts where unit = any(${units}::text[]) order by unit for update`.execute(
    db,
  );
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  const now = rows[0]?.now ?? Date.now();
  const counted = found.map(({ unit, parts }) => ({ unit, parts: partsNear(parts, unit, now) }));
  const rooms = limits.map((limit) => roomOf(limit, counted, now));
  const waits = rooms.flatMap(({ copies, moreInMs }) => (copies === 0 ? [moreInMs] : []));
  return {
    copies: Math.min(...rooms.map(({ copies }) => copies)),
    moreInMs: waits.length > 0 ? Math.max(...waits) : null,
    async use(copies) {
      if (copies === 0) return;
      const after = counted.map(({ unit, parts }) => {
        const part = partAt(unit, now);
        return { unit, parts: { ...parts, [part]: (parts[part] ?? 0) + copies } };
      });
      await sql`
        update mail_counts c set parts = n.parts
        from json_to_recordset(${JSON.stringify(after)}::json) as n(unit text, parts jsonb) where c.unit = n.unit`.execute(
        db,
      );
    },
  };
}

const partMs = (unit: MailLimit['unit']) => unitMs[unit] / partsOfUnit;

const partAt = (unit: MailLimit['unit'], now: number) => Math.floor(now / partMs(unit));

/** Those that count still. Where the clock was set back, some lie ahead: they count until they are as far behind. */
function partsNear(parts: Parts, unit: MailLimit['unit'], now: number): Parts {
  const near = Object.entries(parts).filter(
    ([part]) => Math.abs(Number(part) - partAt(unit, now)) <= partsOfUnit,
  );
  return Object.fromEntries(near);
}

function roomOf({ most, unit }: MailLimit, counted: readonly Counted[], now: number) {
  const parts = counted.find((one) => one.unit === unit)?.parts ?? {};
  const sent = Object.values(parts).reduce((sum, copies) => sum + copies, 0);
  const oldest = Math.min(...Object.keys(parts).map(Number));
  return { copies: Math.max(0, most - sent), moreInMs: (oldest + partsOfUnit + 1) * partMs(unit) - now };
}
