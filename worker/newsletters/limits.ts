import { type Kysely, sql } from 'kysely';

/** Maximum number of emails in any second, minute, hour or day, over all processes. */
export interface MailLimit {
  max: number;
  unit: 's' | 'm' | 'h' | 'd';
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Number of parts into which a unit of time is divided for counting emails. Counts expire part by part. */
const partsOfUnit = 60;

/** Numbers of emails by part of a unit of time. Keys count the parts since 1970. */
type Parts = Record<string, number>;

interface CountedHost {
  unit: MailLimit['unit'];
  parts: Parts;
}

/** Room under the sending limits: the number of emails that may be sent now. */
export interface MailRoom {
  recipients: number;
  /** Time until more emails are allowed, in milliseconds; null if no limit is reached. */
  moreInMs: number | null;
}

const boundless: MailRoom = { recipients: Number.POSITIVE_INFINITY, moreInMs: null };

/**
 * Counts emails that were or may have been sent, and returns how many more are allowed.
 *
 * An email uses a limit from its claim until one unit after its end. A slow attempt therefore cannot lead to more
 * emails per unit than allowed. The counts stay locked until the end of the transaction: processes reserve one after
 * the other.
 */
export async function lockMailRoom(
  db: Kysely<unknown>,
  limits: readonly MailLimit[],
  /**
   * Recipients that left the state `sending` in this transaction. `ended` counts those whose email was or may have been
   * sent.
   */
  { ended, left }: { ended: number; left: number },
): Promise<MailRoom> {
  if (limits.length === 0) return boundless;
  const units = limits.map(({ unit }) => unit);
  await sql`insert into mail_counts (unit, parts) select unit, '{}' from unnest(${units}::text[]) unit on conflict do nothing`.execute(
    db,
  );
  const { rows: found } = await sql<CountedHost>`
    select unit, parts from mail_counts where unit = any(${units}::text[]) order by unit for update`.execute(
    db,
  );
  const { rows } = await sql<{ now: number; under_way: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      (select coalesce(sum(sending), 0) from mailings where sending > 0)::integer as under_way`.execute(db);
  const { now, under_way } = rows[0] ?? { now: Date.now(), under_way: 0 };
  const counted = found.map(({ unit, parts }) => {
    const [near, part] = [partsNear(parts, unit, now), partAt(unit, now)];
    return { unit, parts: ended > 0 ? { ...near, [part]: (near[part] ?? 0) + ended } : near };
  });
  if (ended > 0)
    await sql`
      update mail_counts c set parts = n.parts
      from json_to_recordset(${JSON.stringify(counted)}::json) as n(unit text, parts jsonb) where c.unit = n.unit`.execute(
      db,
    );
  const rooms = limits.map((limit) => roomOf(limit, counted, under_way - left, now));
  const waits = rooms.flatMap(({ recipients, moreInMs }) => (recipients === 0 ? [moreInMs] : []));
  return {
    recipients: Math.min(...rooms.map(({ recipients }) => recipients)),
    moreInMs: waits.length > 0 ? Math.max(...waits) : null,
  };
}

const partMs = (unit: MailLimit['unit']) => unitMs[unit] / partsOfUnit;

const partAt = (unit: MailLimit['unit'], now: number) => Math.floor(now / partMs(unit));

/**
 * Returns the parts that still count. If the clock was set back, some are in the future; they count until they are
 * equally far in the past.
 */
function partsNear(parts: Parts, unit: MailLimit['unit'], now: number): Parts {
  const near = Object.entries(parts).filter(
    ([part]) => Math.abs(Number(part) - partAt(unit, now)) <= partsOfUnit,
  );
  return Object.fromEntries(near);
}

function roomOf({ max, unit }: MailLimit, counted: readonly CountedHost[], underWay: number, now: number) {
  const parts = counted.find((one) => one.unit === unit)?.parts ?? {};
  const sent = Object.values(parts).reduce((sum, recipients) => sum + recipients, 0);
  // If no part is counted, emails in flight use up the limit.
  const oldest = Math.min(...Object.keys(parts).map(Number), partAt(unit, now));
  return {
    recipients: Math.max(0, max - sent - underWay),
    moreInMs: (oldest + partsOfUnit + 1) * partMs(unit) - now,
  };
}
