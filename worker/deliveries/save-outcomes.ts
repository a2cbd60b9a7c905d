import { type Kysely, type RawBuilder, sql } from 'kysely';
import { preparedStatement } from '../../shared/db/client.ts';
import type { WebhookTables } from '../../shared/db/webhook-subscriptions.ts';
import type { AttemptOutcome } from './outcome.ts';

/**
 * Stores outcomes and logs their attempts. Returns the outcomes that were stored. An outcome whose claim is no longer
 * current is ignored: another worker owns the delivery.
 */
export async function saveOutcomes(
  db: Kysely<WebhookTables>,
  outcomes: readonly AttemptOutcome[],
): Promise<AttemptOutcome[]> {
  const isRequested = ({ scheduled }: AttemptOutcome) => scheduled === null;
  return [
    ...(await save(
      db,
      scheduledChanges,
      outcomes.filter((outcome) => !isRequested(outcome)),
    )),
    ...(await save(db, requestedChanges, outcomes.filter(isRequested))),
  ];
}

/** SQL for `set`: effect of a scheduled attempt on delivery `d`, in addition to the common columns. */
const scheduledChanges = sql`
  due_at = clock_timestamp() + case o.status when 'given_back' then 0 else o.retry_in end * interval '1 second',
  status = case o.status when 'given_back' then d.status else o.status end`;

/**
 * SQL for `set`: effect of a requested attempt on delivery `d`. A delivered one stays delivered. Otherwise a failure
 * leaves the delivery to its remaining scheduled attempts, if any.
 */
const requestedChanges = sql`
  attempt_limit = d.attempt_limit - (o.status = 'given_back')::integer,
  asked_at = case o.status when 'given_back' then clock_timestamp() end,
  in_replay = d.in_replay and o.status = 'given_back',
  due_at = case o.status when 'delivered' then null else d.due_at end,
  status = case when o.status = 'given_back' then d.status
    when 'delivered' in (o.status, d.status) then 'delivered'
    when d.due_at is null then 'failed' else 'retrying' end`;

/** Stores outcomes of one kind. An attempt that was given back leaves no trace, not even in the log. */
async function save(
  db: Kysely<WebhookTables>,
  changes: RawBuilder<unknown>,
  outcomes: readonly AttemptOutcome[],
): Promise<AttemptOutcome[]> {
  if (outcomes.length === 0) return [];
  const { rows } = await sql<{ site_id: string; id: string }>`${preparedStatement}
    with o as (
      select * from json_to_recordset(${JSON.stringify(outcomes)}::json)
        as o(site_id text, id text, attempt integer, scheduled integer, lease_until timestamptz, began float8, duration_ms integer,
          status text, last_status_code integer, error text, retry_in float8)
    ),
    ended as (
      update webhook_deliveries d set lease_until = null, updated = clock_timestamp(),
        attempt_count = d.attempt_count - (o.status = 'given_back')::integer,
        last_status_code = case o.status when 'given_back' then d.last_status_code else o.last_status_code end,
        error = case o.status when 'given_back' then d.error else o.error end, ${changes}
      from o where d.site_id = o.site_id and d.id = o.id and d.attempt_count = o.attempt and d.lease_until = o.lease_until
      returning d.site_id, d.id
    ),
    logged as (
      insert into webhook_attempts (site_id, delivery_id, attempt, started, duration_ms, status_code, error, manual)
      select site_id, id, o.attempt, to_timestamp(o.began / 1000000), o.duration_ms, o.last_status_code, o.error, o.scheduled is null
      from o join ended using (site_id, id) where o.status <> 'given_back'
    )
    select * from ended`.execute(db);
  const saved = new Set(rows.map(({ site_id, id }) => `${site_id}/${id}`));
  return outcomes.filter(({ site_id, id }) => saved.has(`${site_id}/${id}`));
}
